-- Forgets the webhook of a player, if it is still the one that has said that it is gone.
--
-- KEYS  1 how the player is reached (hash)
-- ARGV  1 the webhook as it was

if redis.call('HGET', KEYS[1], 'hook') == ARGV[1] then
  redis.call('HDEL', KEYS[1], 'hook')
end
