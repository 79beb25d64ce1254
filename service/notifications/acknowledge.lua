-- Takes a delivery out of the agenda whose notice has passed.
--
-- KEYS  1 the agenda (sorted set)   2 how often its deliveries have failed (hash)
--       3 the rows of the matches (hash, only looked at)
--       4 what each match's people are to be told (hash, only looked at)
-- ARGV  1 match   2 the delivery's name   3 the ply that brought it
--
-- Answers  1   it is out
--          0   the lists do not say that: they have not come to that ply, or it is owed; nothing has changed
--
-- Lists that are being derived again have lost what is owed, or have it as it was at an earlier ply. Behind the ply that
-- brought a notice they know it if it stands, and that ply never comes again.

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
