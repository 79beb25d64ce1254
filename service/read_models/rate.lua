-- Writes ratings of one game: some results more, or some fewer, all or none.
--
-- KEYS  1 the head (string): how far the ratings go   2 the steps (hash)   3 their order (sorted set)
--       4 the standings (hash)   5 the leaderboard (sorted set)
--       6 the turn (string): how often somebody has gone back
-- ARGV  1 the head that is expected   2 the turn that is expected   3 the new head, or nothing   4 the new turn
--       5... eight lists, each behind its length:
--       steps to forget, entries of the order to forget, steps (name, value), entries of the order,
--       standings to forget, standings (name, value), leaders to forget, leaders (score, member)
--
-- Answers OK, or CONFLICT when head or turn is another; then nothing has changed.

local head, steps, order, standings, board, turn = unpack(KEYS)
if (redis.call('GET', head) or '') ~= ARGV[1] or (redis.call('GET', turn) or '0') ~= ARGV[2] then
  return 'CONFLICT'
end

local at = 5
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

if ARGV[3] == '' then
  redis.call('DEL', head)
else
  redis.call('SET', head, ARGV[3])
end
redis.call('SET', turn, ARGV[4])
return 'OK'
