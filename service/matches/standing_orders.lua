-- Changes the standing orders of a match, all or nothing.
--
-- KEYS  1 the orders of the match (hash)   2 the matches of the shard with orders (sorted set, by the last ply that a
--       worker has checked)
-- ARGV  1 match   2 the expected revision, or '' for any
--       3 the last ply that a worker has checked   4... field, value, field, value
--
-- Returns the revision, which is new if orders were given, or nothing if the revision is not the expected one; then
-- nothing has changed.

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
