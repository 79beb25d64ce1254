-- Removes a delivery from the outbox if its notice is obsolete.
--
-- KEYS  1 the outbox (sorted set)   2 failed attempts of its deliveries (hash)
--       3 the rows of the matches (hash, read only)
--       4 the notices of each match (hash, read only)
-- ARGV  1 match   2 the delivery's name   3 the ply that raised the notice
--
-- Returns  1   the delivery was removed
--          0   the lists have not reached that ply, or the notice is still current; nothing has changed
--
-- Lists that are being rebuilt have no notices, or those of an earlier ply. Once they have reached the ply that raised
-- a notice, they contain it if it is current, and it cannot be raised again.

local agenda, tries, rows, owing = unpack(KEYS)
local match, name, ply = unpack(ARGV)

local row = redis.call('HGET', rows, match)
if not row or cjson.decode(row).ply < tonumber(ply) then
  return 0
end
for delivery in string.gmatch(redis.call('HGET', owing, match) or '', '(%S+) %d+') do
  if delivery == name then
    return 0
  end
end
redis.call('ZREM', agenda, match .. ':' .. name)
redis.call('HDEL', tries, match .. ':' .. name)
return 1
