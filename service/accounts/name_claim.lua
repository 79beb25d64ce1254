-- Claim all skeletons of a name for a player, or none of them.
--
-- KEYS  1 the claims (hash: skeleton -> "<player> <milliseconds> <nonce>")
-- ARGV  1 the player   2 the new value   3... the skeletons
--
-- Returns  {}                  all of them belong to the player now
--          { skeleton, value } the first one that belongs to someone else; nothing has changed
--
-- The player's own claim is renewed, so that nobody who has read the old value can still release it.

for n = 3, #ARGV do
  local held = redis.call('HGET', KEYS[1], ARGV[n])
  if held and string.sub(held, 1, #ARGV[1] + 1) ~= ARGV[1] .. ' ' then
    return { ARGV[n], held }
  end
end
for n = 3, #ARGV do
  redis.call('HSET', KEYS[1], ARGV[n], ARGV[2])
end
return {}
