-- Appends the events of one command to a match, all or none, exactly once.
--
-- KEYS  1 the log (stream)   2 the command table (hash)   3 the shard's feed (stream)
--       4 the seed (string), only where the append brings one: it has an account of its own
-- ARGV  1 match   2 expected ply   3 command id   4 payload digest   5 seed in hex, or nothing
--       6 the hash of the event at the expected ply, or nothing   7... the event lines
--
-- Answers  { OK, first ply, last ply, feed position }
--          { DUP, first ply, last ply, payload digest }   the command was carried out before; nothing was appended
--          { CONFLICT, ply }                              the match is at this ply, not at the expected one, or
--                                                         another event is at it: a failover had lost the expected one
--
-- A script that fails after a write keeps that write, so everything that can fail comes before the first one: the
-- types of log and feed are proved by XINFO, that of the command table by HGET, and a full memory is refused by the
-- server before a script's first write. XADD alone would accept any higher id; hence the comparison of the plies.

local function whole(number)
  return string.format('%.0f', number)
end

local function last(stream)
  if redis.call('EXISTS', stream) == 0 then
    return 0
  end
  local info = redis.call('XINFO', 'STREAM', stream)
  for i = 1, #info, 2 do
    if info[i] == 'last-generated-id' then
      return tonumber(string.match(info[i + 1], '^%d+'))
    end
  end
end

local log, commands, feed, seed = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local match, expected, command, payload, secret = ARGV[1], tonumber(ARGV[2]), ARGV[3], ARGV[4], ARGV[5]
local head = ARGV[6]

local known = redis.call('HGET', commands, command)
if known then
  -- Written back unchanged, so that a WAIT behind this script waits for what the first run wrote.
  redis.call('HSET', commands, command, known)
  local first, final, digest = string.match(known, '^(%d+):(%d+):(.*)$')
  return { 'DUP', tonumber(first), tonumber(final), digest }
end

-- Whether the newest event has this hash. No other one can quote it as its own.
local function ends_in(hash)
  local newest = redis.call('XREVRANGE', log, '+', '-', 'COUNT', 1)[1]
  return string.find(newest[2][2], '"hash":"' .. hash .. '"', 1, true) ~= nil
end

local ply = last(log)
if ply ~= expected or (ply > 0 and head ~= '' and not ends_in(head)) then
  return { 'CONFLICT', ply }
end
local position = last(feed) + 1
local first, final = ply + 1, ply + #ARGV - 6

for i = 7, #ARGV do
  redis.call('XADD', log, whole(ply + i - 6) .. '-0', 'e', ARGV[i])
end
if expected == 0 and seed and secret ~= '' then
  redis.call('SET', seed, secret, 'NX')
end
redis.call('HSET', commands, command, whole(first) .. ':' .. whole(final) .. ':' .. payload)
redis.call('XADD', feed, whole(position) .. '-0', 'm', match, 'f', whole(first), 'l', whole(final))
-- Only a hint to those who sleep. An account without the right to publish must not fail an append that is done.
redis.pcall('PUBLISH', 'ct:hint', string.sub(match, 1, 2) .. ' ' .. match .. ' ' .. whole(final))

return { 'OK', first, final, position }
