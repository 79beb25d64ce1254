-- Gives an address to another player, or to nobody, if it is still whose the writer has seen it to be.
--
-- KEYS  1 the entry of the address
-- ARGV  1 the player who was seen there, or nothing: nobody   2 the player from now on, or nothing: nobody
--
-- Answers 1, or 0 if somebody else was faster: then nothing has changed.

if (redis.call('GET', KEYS[1]) or '') ~= ARGV[1] then
  return 0
end
if ARGV[2] == '' then
  redis.call('DEL', KEYS[1])
else
  redis.call('SET', KEYS[1], ARGV[2])
end
return 1
