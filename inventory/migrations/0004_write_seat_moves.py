from django.db import migrations

# For each statement, not for each row: a sweep of thousands of seats writes its moves in one go.
FORWARD = """
CREATE FUNCTION inventory_write_seat_moves() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO inventory_seatmove (seat_id, at, was, became, hold_id, block_id, fencing_token)
    SELECT now.id, clock_timestamp(), was.state, now.state, coalesce(now.hold_id, was.hold_id),
        coalesce(now.block_id, was.block_id), now.fencing_token
    FROM was JOIN now ON now.id = was.id
    WHERE (was.state, was.hold_id, was.block_id, was.fencing_token)
        IS DISTINCT FROM (now.state, now.hold_id, now.block_id, now.fencing_token);
    RETURN NULL;
END $$;
CREATE TRIGGER write_moves AFTER UPDATE ON inventory_eventseat
    REFERENCING OLD TABLE AS was NEW TABLE AS now
    FOR EACH STATEMENT EXECUTE FUNCTION inventory_write_seat_moves();

CREATE FUNCTION inventory_seat_moves_are_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'the moves of seats are a record: nothing in it changes'
        USING ERRCODE = 'check_violation', CONSTRAINT = 'inventory_seat_moves_are_append_only';
END $$;
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON inventory_seatmove
    FOR EACH STATEMENT EXECUTE FUNCTION inventory_seat_moves_are_append_only();
"""
BACKWARD = """
DROP TRIGGER append_only ON inventory_seatmove;
DROP FUNCTION inventory_seat_moves_are_append_only();
DROP TRIGGER write_moves ON inventory_eventseat;
DROP FUNCTION inventory_write_seat_moves();
"""


class Migration(migrations.Migration):
    dependencies = [("inventory", "0003_seat_moves")]
    operations = [migrations.RunSQL(FORWARD, BACKWARD)]
