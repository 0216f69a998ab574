-- Clear seats that these names claimed, never another's. Answers how many.
-- KEYS[1] the event's gate; ARGV: seat, name, …
local cleared = 0
for i = 1, #ARGV, 2 do
  if redis.call('HGET', KEYS[1], ARGV[i]) == ARGV[i + 1] then
    cleared = cleared + redis.call('HDEL', KEYS[1], ARGV[i])
  end
end
return cleared
