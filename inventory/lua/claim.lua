-- Claim seats for one asker, all or none.
-- KEYS[1] the event's gate; ARGV: the asker's name, how long in ms, then the seats.
-- Answers {'off'}, {'claimed', seats that were unclaimed…} or {'taken', seat, ms left or -1, …}.
if redis.call('HEXISTS', KEYS[1], 'off') == 1 then
  return { 'off' }
end
local asker, ms = ARGV[1], ARGV[2]
local seats = { unpack(ARGV, 3) }
local unclaimed, taken = {}, { 'taken' }
for i, name in ipairs(redis.call('HMGET', KEYS[1], unpack(seats))) do
  if not name then
    table.insert(unclaimed, seats[i])
  elseif name ~= asker then
    local left = redis.call('HPTTL', KEYS[1], 'FIELDS', 1, seats[i])
    table.insert(taken, seats[i])
    table.insert(taken, tostring(left[1]))
  end
end
if #taken > 1 then
  return taken
end
if #unclaimed > 0 then
  local named = {}
  for _, seat in ipairs(unclaimed) do
    table.insert(named, seat)
    table.insert(named, asker)
  end
  redis.call('HSETEX', KEYS[1], 'PX', ms, 'FIELDS', #unclaimed, unpack(named))
end
return { 'claimed', unpack(unclaimed) }
