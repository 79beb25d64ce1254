-- Brings the projections of a shard from one position of its feed to another behind it, each exactly once.
--
-- KEYS  1 the checkpoint (string)   2 the rows (hash)   3 the index (sorted set)   4 the match's entries in it (hash)
--       5 what is due (sorted set)   6 what is unaudited (sorted set)   7 what is disputed and unheard (sorted set)
--       8 when a clock runs out (sorted set)   9 what each match's people are to be told (hash)
--       10 results that are rated (hash)
--       11 places of results that changed and are not in the ratings yet (sorted set, by position)
--       12 matches that could not be read (sorted set, by the position of the newest announcement)
--       13 the agenda of what is to be told (sorted set)   14 what the match's people were told (hash, only looked at)
--       15 the match's verdict (string, only looked at)
--       16 the shard's feed and 17 the match's log (streams, only looked at)
-- ARGV  1 position; those before it that are new say nothing   2 match
--       3 row; nothing: then only the checkpoint moves on; or ?: the match cannot be read, which is noted
--       4 since when a bot owes a move, or nothing   5 since when the match is over, or nothing
--       6 since when a dispute awaits its verdict, or nothing   7 when a clock runs out, or nothing
--       8 what the match's people are to be told: lines of a delivery, a space, since when
--       9 its rated result, behind its place and a space, or nothing
--       10 the first of the positions that are applied; the position itself where it is alone
--       11 what the feed must hold: lines of a position, a space, what it announces
--       12 the ply of the row, a space, the hash of the event there, or nothing   13... the row's entries
--
-- Answers  { APPLIED, checkpoint before }
--          { KNOWN, checkpoint }    the position was applied before; nothing has changed
--          { GAP, checkpoint }      a position between the checkpoint and the first is missing; nothing has changed
--          { GONE, checkpoint }     feed or log hold something else than was read; nothing has changed
--
-- What was read on a server may be no more on the one that a failover has put in its place: an announcement that was
-- never confirmed. To apply it there would be to skip what is announced at its position next.
--
-- Every write sets what is so, whatever was before, and the checkpoint comes last: should the script break off, the
-- same call again completes it. Of the match's entries only those are written that have come or gone, and their list
-- behind them: most stay as they are while a match is played.

local checkpoint, rows, index, entries, due, unaudited, unheard, expiring = unpack(KEYS, 1, 8)
local owing, results, unfolded, unread, agenda, told, verdict, feed, log = unpack(KEYS, 9)
local position, match, row = tonumber(ARGV[1]), ARGV[2], ARGV[3]
local due_since, over_since, disputed_since, deadline, notices, result, first, announced, newest = unpack(ARGV, 4, 12)

local reached = tonumber(redis.call('GET', checkpoint) or '0')
-- Such a match waits for somebody who can read it: a newer release. The checkpoint stays where it is then.
local waits = position <= reached and row ~= '' and row ~= '?'
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

-- What is owed already keeps its place in the agenda, which may be later than its beginning; what was told never comes
-- again.
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

-- The ratings settle news up to a score that they have seen: each new one must be higher than all that were there.
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

if row == '?' then
  redis.call('ZADD', unread, position, match)
elseif row ~= '' then
  enter()
  redis.call('HSET', rows, match, row)
  rate()
  mark(due, due_since)
  mark(unheard, disputed_since)
  mark(expiring, deadline)
  owe()
  mark(unaudited, redis.call('EXISTS', verdict) == 1 and '' or over_since)
  redis.call('ZREM', unread, match)
end
if waits then
  return { 'APPLIED', position - 1 }
end
redis.call('SET', checkpoint, ARGV[1])
return { 'APPLIED', reached }
