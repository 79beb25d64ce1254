-- Release skeletons that still have the values that were read. The HSET makes sure that something is written, so that a
-- WAIT after a retry also covers the attempt that released them.
--
-- KEYS  1 the claims (hash)
-- ARGV  a skeleton and the value that was read, repeated

for n = 1, #ARGV, 2 do
  if redis.call('HGET', KEYS[1], ARGV[n]) == ARGV[n + 1] then
    redis.call('HSET', KEYS[1], ARGV[n], '')
    redis.call('HDEL', KEYS[1], ARGV[n])
  end
end
return redis.status_reply('OK')
