-- Adds or removes some results in the ratings of one game, all or none.
--
-- KEYS  1 the head (string): the last step   2 the steps (hash)   3 their order (sorted set)
--       4 the players' ratings (hash)   5 the leaderboard (sorted set)
--       6 the meetings of pairs of players (hash)
--       7 the generation (string): how often steps were undone
--       8 the trust (string): the founders and excluded players by which the ratings are computed
-- ARGV  1 the expected head   2 the expected generation   3 the new head, or ''   4 the new generation
--       5... eleven lists, each preceded by its length:
--       steps to delete, order entries to delete, steps (name, value), order entries,
--       ratings to delete, ratings (name, value), leaders to delete, leaders (score, member),
--       meetings to delete, meetings (pair, value), the new trust (or none)
--
-- Returns OK, or CONFLICT if the head or the generation is not the expected one; then nothing has changed.

local head, steps, order, standings, board, meetings, turn, trust = unpack(KEYS)
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
each(1, function(pair) redis.call('HDEL', meetings, pair) end)
each(2, function(pair, value) redis.call('HSET', meetings, pair, value) end)
each(1, function(value) redis.call('SET', trust, value) end)

if ARGV[3] == '' then
  redis.call('DEL', head)
else
  redis.call('SET', head, ARGV[3])
end
redis.call('SET', turn, ARGV[4])
return 'OK'
