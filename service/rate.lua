-- Writes ratings of one game: some results more, or some fewer, all or none.
--
-- KEYS  1 the head (string): how far the ratings go   2 the steps (hash)   3 their order (sorted set)
--       4 the standings (hash)   5 the leaderboard (sorted set)
-- ARGV  1 the head that is expected   2 the new head, or nothing   3... eight lists, each behind its length:
--       steps to forget, entries of the order to forget, steps (name, value), entries of the order,
--       standings to forget, standings (name, value), leaders to forget, leaders (score, member)
--
-- Answers OK, or CONFLICT when the head is another; then nothing has changed.

local head, steps, order, standings, board = unpack(KEYS)
if (redis.call('GET', head) or '') ~= ARGV[1] then
  return 'CONFLICT'
end

local at = 3
local function each(size, act)
  local count = tonumber(ARGV[at])
  for i = at + 1, at + count, size do
    act(ARGV[i], ARGV[i + 1])
  end
  at = at + count + 1
end

each(1, function(name) redis.call('HDEL', steps, name) end)
each(1, function(entry) redis.call('ZREM', order, entry) end)
each(2, function(name, value) redis.call('HSET', steps, name, value) end)
each(1, function(entry) redis.call('ZADD', order, 0, entry) end)
each(1, function(name) redis.call('HDEL', standings, name) end)
each(2, function(name, value) redis.call('HSET', standings, name, value) end)
each(1, function(name) redis.call('ZREM', board, name) end)
each(2, function(score, name) redis.call('ZADD', board, score, name) end)

if ARGV[2] == '' then
  redis.call('DEL', head)
else
  redis.call('SET', head, ARGV[2])
end
return 'OK'
