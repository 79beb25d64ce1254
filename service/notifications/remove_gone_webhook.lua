-- Deletes a player's webhook if it is still the one that answered 410 Gone.
--
-- KEYS  1 the player's contact (hash)
-- ARGV  1 the webhook that is gone

if redis.call('HGET', KEYS[1], 'hook') == ARGV[1] then
  redis.call('HDEL', KEYS[1], 'hook')
end
