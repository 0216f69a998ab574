-- Keep seats for those who have them in PostgreSQL: those that are unclaimed or claimed by them.
-- Answers how many.
-- KEYS[1] the event's gate; ARGV: seat, name, until (ms since 1970, or 'sold' for ever), …
local kept = 0
for i = 1, #ARGV, 3 do
  local seat, name, ends = ARGV[i], ARGV[i + 1], ARGV[i + 2]
  local now = redis.call('HGET', KEYS[1], seat)
  if not now or now == name then
    kept = kept + 1
    if ends == 'sold' then
      redis.call('HSET', KEYS[1], seat, name)
    else
      redis.call('HSETEX', KEYS[1], 'PXAT', ends, 'FIELDS', 1, seat, name)
    end
  end
end
return kept
