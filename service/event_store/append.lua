-- Appends the events of one command to a match, all or none, exactly once.
--
-- KEYS  1 the log (stream)   2 the commands (hash)   3 the shard's feed (stream)
--       4 the seed (string), only if the append brings one, because seeds have a separate account
-- ARGV  1 match   2 expected ply   3 command id   4 payload digest   5 seed in hex, or ''
--       6 the hash of the event at the expected ply, or ''   7... the event lines
--
-- Returns  { OK, first ply, last ply, feed position }
--          { DUP, first ply, last ply, payload digest }   the command was already carried out; nothing was appended
--          { CONFLICT, ply }                              the match is at this ply instead of the expected one, or has
--                                                         another event there, after a failover lost the expected one
--          { DAMAGED }                                    the match is damaged (field `damaged` of the commands)
--
-- Only `restart_check.py` loads this script, and only into a server process that it has checked. A server forgets it
-- when it ends, so after a restart nothing is appended before the check.
--
-- A script that fails after a write keeps that write, so everything that can fail comes before the first one. Reading
-- the commands, the log and the feed checks their types, and a server with a full memory refuses a script's first
-- write. XADD alone would accept any higher id, so the script compares the plies. If the newest event was deleted by
-- hand, the first XADD to the log fails before anything is written.
--
-- Each call of a command costs about as much as an XADD, so the script makes as few as possible. It calls XINFO, which
-- copies two whole entries, only if nothing else works.

local log, commands, feed = KEYS[1], KEYS[2], KEYS[3]
local expected, command, head = ARGV[2], ARGV[3], ARGV[6]

local damaged = redis.call('HGET', commands, 'damaged')
if damaged and damaged ~= '' then
  return { 'DAMAGED' }
end
local known = redis.call('HGET', commands, command)
if known then
  -- Written back unchanged, so that a WAIT after this script covers the writes of the first run.
  redis.call('HSET', commands, command, known)
  local first, final, digest = string.match(known, '^(%d+):(%d+):(.*)$')
  return { 'DUP', tonumber(first), tonumber(final), digest }
end

local newest = redis.call('XREVRANGE', log, '+', '-', 'COUNT', 1)[1]
local ply = newest and string.match(newest[1], '^%d+') or '0'
-- Only the event with this hash contains it as its own.
local known_head = not newest or head == '' or string.find(newest[2][2], '"hash":"' .. head .. '"', 1, true)
if ply ~= expected or not known_head then
  return { 'CONFLICT', tonumber(ply) }
end
local position = redis.call('XLEN', feed) + 1
local first, final = ply + 1, ply + #ARGV - 6

for i = 7, #ARGV do
  redis.call('XADD', log, string.format('%.0f-0', ply + i - 6), 'e', ARGV[i])
end
if ply == '0' and KEYS[4] and ARGV[5] ~= '' then
  redis.call('SET', KEYS[4], ARGV[5], 'NX')
end
local from, last = string.format('%.0f', first), string.format('%.0f', final)
redis.call('HSET', commands, command, from .. ':' .. last .. ':' .. ARGV[4])

local at = string.format('%.0f-0', position)
local announced = redis.pcall('XADD', feed, at, 'm', ARGV[1], 'f', from, 'l', last)
if announced ~= at then
  -- Entries were deleted from the feed, so its length is no longer the number of its newest entry.
  local info = redis.call('XINFO', 'STREAM', feed)
  for i = 1, #info, 2 do
    if info[i] == 'last-generated-id' then
      position = string.match(info[i + 1], '^%d+') + 1
    end
  end
  redis.call('XADD', feed, string.format('%.0f-0', position), 'm', ARGV[1], 'f', from, 'l', last)
end
-- This is only a hint. An account without permission to publish must not fail a completed append.
redis.pcall('PUBLISH', 'ct:hint', string.sub(ARGV[1], 1, 2) .. ' ' .. ARGV[1] .. ' ' .. last)

return { 'OK', first, final, position }
