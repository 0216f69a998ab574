-- The least that a hold of two free seats must do: lock the fan, look at his holds, lock the seats in
-- order, then draw the token and write. `inventory.services.placing` asks a few things more.
-- Each client walks through a part of one random order of pairs, so no two meet.
\set turn :turn + 1
\set fan :client_id + :turn * :clients
\set first :first_seat + 2 * permute(:fan, :pairs, :seed)
\set second :first + 1
BEGIN;
SELECT pg_advisory_xact_lock(hashtextextended('fan:' || :event || ':' || :fan, 0));
SELECT id, reference, state, idempotency_key, fingerprint, fencing_token, expires_at
FROM inventory_hold
WHERE owner = :fan AND (idempotency_key = :fan OR event_id = :event AND state IN ('active', 'confirmed'));
SELECT id, state, hold_id, zone_id FROM inventory_eventseat
WHERE id IN (:first, :second) AND event_id = :event ORDER BY id FOR UPDATE;
INSERT INTO inventory_hold (reference, event_id, owner, state, fencing_token, idempotency_key,
    fingerprint, created_at, expires_at, max_expires_at, currency, booking_fee_minor)
VALUES (gen_random_uuid(), :event, :fan, 'active', nextval('inventory_fencing_token'), :fan,
    repeat('0', 64), clock_timestamp(), clock_timestamp() + interval '7 min',
    clock_timestamp() + interval '20 min', 'EUR', 0)
RETURNING id AS hold, fencing_token AS token \gset
INSERT INTO inventory_holdline (hold_id, seat_id, zone_id, fare_id, places, price_minor, fee_minor)
SELECT :hold, seat, :zone, :fare, 1, 5000, 0 FROM unnest(ARRAY[:first, :second]::bigint[]) AS seat;
UPDATE inventory_eventseat SET state = 'held', hold_id = :hold, fencing_token = :token
WHERE id IN (:first, :second) AND state = 'available';
COMMIT;
