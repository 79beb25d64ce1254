-- Delete a key. The SET makes sure that something is written even if the key no longer exists, so that a WAIT
-- after a retry also covers the attempt that deleted the key.
--
-- KEYS  1 the key

redis.call('SET', KEYS[1], '')
redis.call('DEL', KEYS[1])
