-- Adds a member to a list of recent uses, unless the list is full. One use counts once, however often it is repeated.
--
-- KEYS[1]: sorted set of uses, by time
-- ARGV: the time now, the window (both in milliseconds; 0: uses count until they are removed), the most uses, the
--       member, and how long to keep the list after its last use
-- Returns 1 if the member was added, 0 if it was there already, and -1 if the list is full.
local now, window, most = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
if window > 0 then
  redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - window)
end
if redis.call('ZSCORE', KEYS[1], ARGV[4]) then
  return 0
end
if redis.call('ZCARD', KEYS[1]) >= most then
  return -1
end
redis.call('ZADD', KEYS[1], now, ARGV[4])
redis.call('PEXPIRE', KEYS[1], ARGV[5])
return 1
