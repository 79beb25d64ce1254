-- Deletes a key by writes, also where it is gone: a WAIT behind this waits for the try that has deleted it.
--
-- KEYS  1 the key

redis.call('SET', KEYS[1], '')
redis.call('DEL', KEYS[1])
