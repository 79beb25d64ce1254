-- Compare and swap: assigns an address to another player, or to no one, if its owner is still the expected one.
--
-- KEYS  1 the entry of the address
-- ARGV  1 the expected player, or '' for none   2 the new player, or '' for none
--
-- Returns 1, or 0 if the owner has changed meanwhile; then nothing has changed.

if (redis.call('GET', KEYS[1]) or '') ~= ARGV[1] then
  return 0
end
if ARGV[2] == '' then
  redis.call('DEL', KEYS[1])
else
  redis.call('SET', KEYS[1], ARGV[2])
end
return 1
