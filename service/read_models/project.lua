-- Applies one or more consecutive positions of a shard's feed to its projections, each exactly once.
--
-- KEYS  1 the checkpoint (string)   2 the rows (hash)   3 the index (sorted set)   4 the match's entries in it (hash)
--       5 due bot turns (sorted set)   6 unaudited matches (sorted set)   7 disputes without a verdict (sorted set)
--       8 deadlines (sorted set)   9 the notices of each match (hash)
--       10 rated results (hash)
--       11 places of changed results that are not in the ratings yet (sorted set, by position)
--       12 unreadable matches (sorted set, by the position of the newest announcement)
--       13 the outbox of deliveries (sorted set)   14 the match's delivery records (hash, read only)
--       15 the match's verdict (string, read only)
--       16 the shard's feed and 17 the match's log (streams, read only)
-- ARGV  1 position; new positions before it change no row   2 match
--       3 row; '' moves only the checkpoint; ? marks the match as unreadable, and a row may follow the ?: that of a
--         match whose game can't be used
--       4 since when a bot must move, or ''   5 since when the match is over, or ''
--       6 since when a dispute waits for its verdict, or ''   7 the next deadline, or ''
--       8 the match's notices: lines of a delivery, a space, since when
--       9 its rated result, preceded by its place and a space, or ''
--       10 the first position to apply; the position itself if it is the only one
--       11 required content of the feed: lines of a position, a space, its announcement
--       12 the ply of the row, a space, the hash of the event there, or ''   13... the row's entries
--
-- Returns  { APPLIED, checkpoint before }
--          { KNOWN, checkpoint }    the position was applied before; nothing has changed
--          { GAP, checkpoint }      a position between the checkpoint and the first is missing; nothing has changed
--          { GONE, checkpoint }     the feed or the log differs from what was read; nothing has changed
--
-- After a failover, an unconfirmed announcement that was read before may be missing on the new server. Applying it
-- would skip the next announcement at its position.
--
-- Every write sets the new value whatever the old one was, and the checkpoint is written last, so repeating an
-- interrupted call completes it. Only the match's new and removed entries are written, and then their list, because
-- most entries stay the same during a match.

local checkpoint, rows, index, entries, due, unaudited, unheard, expiring = unpack(KEYS, 1, 8)
local owing, results, unfolded, unread, agenda, told, verdict, feed, log = unpack(KEYS, 9)
local position, match, row = tonumber(ARGV[1]), ARGV[2], ARGV[3]
local due_since, over_since, disputed_since, deadline, notices, result, first, announced, newest = unpack(ARGV, 4, 12)

local reached = tonumber(redis.call('GET', checkpoint) or '0')
-- An unreadable match waits for a process that can read it, such as a newer release. The checkpoint stays unchanged.
local unreadable = string.sub(row, 1, 1) == '?'
if unreadable then
  row = string.sub(row, 2)
end
local waits = position <= reached and row ~= '' and not unreadable
  and tonumber(redis.call('ZSCORE', unread, match) or '0') == position
if position <= reached and not waits then
  return { 'KNOWN', reached }
end
if tonumber(first) > reached + 1 then
  return { 'GAP', reached }
end

for at, wanted in string.gmatch(announced, '(%d+) ([^\n]+)') do
  local found = redis.call('XRANGE', feed, at, at)[1]
  if not found or table.concat({ found[2][2], found[2][4], found[2][6] }, ' ') ~= wanted then
    return { 'GONE', reached }
  end
end
for ply, hash in string.gmatch(newest, '(%d+) (%S+)') do
  local found = redis.call('XRANGE', log, ply, ply)[1]
  if not found or not string.find(found[2][2], '"hash":"' .. hash .. '"', 1, true) then
    return { 'GONE', reached }
  end
end

local function mark(set, since)
  if since == '' then
    redis.call('ZREM', set, match)
  else
    redis.call('ZADD', set, since, match)
  end
end

-- A pending delivery keeps its due time in the outbox, which may have been postponed. A recorded delivery is never
-- added again.
local function owe()
  local owed = {}
  for delivery, since in string.gmatch(notices, '(%S+) (%d+)') do
    owed[delivery] = since
  end
  for delivery in string.gmatch(redis.call('HGET', owing, match) or '', '(%S+) %d+') do
    if not owed[delivery] then
      redis.call('ZREM', agenda, match .. ':' .. delivery)
    end
  end
  for delivery, since in pairs(owed) do
    if redis.call('HEXISTS', told, delivery) == 0 then
      redis.call('ZADD', agenda, 'NX', since, match .. ':' .. delivery)
    end
  end
  if notices == '' then
    redis.call('HDEL', owing, match)
  else
    redis.call('HSET', owing, match, notices)
  end
end

-- The ratings acknowledge results up to a score that they have seen, so each new score must exceed all earlier ones.
local function rate()
  local before = redis.call('HGET', results, match) or ''
  if before == result then
    return
  end
  for place in string.gmatch(before .. '\n' .. result, '([^ \n]+) [^\n]*') do
    redis.call('ZADD', unfolded, waits and reached + position / (reached + 1) or position, place)
  end
  if result == '' then
    redis.call('HDEL', results, match)
  else
    redis.call('HSET', results, match, result)
  end
end

local function enter()
  local before, now = redis.call('HGET', entries, match) or '', table.concat(ARGV, '\n', 13)
  local gone = {}
  for entry in string.gmatch(before, '[^\n]+') do
    gone[entry] = true
  end
  for i = 13, #ARGV do
    if not gone[ARGV[i]] then
      redis.call('ZADD', index, 0, ARGV[i])
    end
    gone[ARGV[i]] = nil
  end
  for entry in pairs(gone) do
    redis.call('ZREM', index, entry)
  end
  redis.call('HSET', entries, match, now)
end

if row ~= '' then
  enter()
  redis.call('HSET', rows, match, row)
  if not unreadable then
    rate()
  end
  mark(due, due_since)
  mark(unheard, disputed_since)
  mark(expiring, deadline)
  owe()
  mark(unaudited, redis.call('EXISTS', verdict) == 1 and '' or over_since)
  redis.call('ZREM', unread, match)
end
if unreadable then
  redis.call('ZADD', unread, position, match)
end
if waits then
  return { 'APPLIED', position - 1 }
end
redis.call('SET', checkpoint, ARGV[1])
return { 'APPLIED', reached }
