-- Changes the standing orders of a match, all or nothing.
--
-- KEYS  1 the orders of the match (hash)   2 the matches of the shard that have orders (sorted set: the ply up to which
--       a worker has looked)
-- ARGV  1 match   2 the revision that the writer has seen, or nothing: whatever it is
--       3 the ply up to which a worker has looked now   4... field, value, field, value
--
-- Answers the revision, a new one where orders have changed, or nothing if the orders have been changed since: then they stay.

local orders, waiting = unpack(KEYS)
local revision = redis.call('HGET', orders, 'revision') or '0'
if ARGV[2] ~= '' and ARGV[2] ~= revision then
  return false
end
for i = 4, #ARGV, 2 do
  redis.call('HSET', orders, ARGV[i], ARGV[i + 1])
end
redis.call('HSET', orders, 'looked', ARGV[3])
redis.call('ZADD', waiting, ARGV[3], ARGV[1])
if #ARGV < 4 then
  return tonumber(revision)
end
return redis.call('HINCRBY', orders, 'revision', 1)
