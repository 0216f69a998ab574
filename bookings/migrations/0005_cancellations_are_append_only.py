from django.db import migrations

FORWARD = """
CREATE FUNCTION bookings_is_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'a cancellation is a record: nothing in it changes'
        USING ERRCODE = 'check_violation', CONSTRAINT = TG_ARGV[0];
END $$;
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON bookings_cancellation
    FOR EACH STATEMENT
    EXECUTE FUNCTION bookings_is_append_only('bookings_cancellations_are_append_only');
"""
BACKWARD = """
DROP TRIGGER append_only ON bookings_cancellation;
DROP FUNCTION bookings_is_append_only();
"""
# What was sold before lines knew their fare: that of the hold's line for the same place.
FILL = """
UPDATE bookings_bookingline AS line SET fare_id = held.fare_id
FROM bookings_booking AS booking
JOIN inventory_holdline AS held ON held.hold_id = booking.hold_id
JOIN events_fare AS fare ON fare.id = held.fare_id
WHERE line.booking_id = booking.id AND line.fare_id IS NULL
  AND (held.seat_id = line.seat_id
       OR (held.pool_id = line.pool_id AND held.admits = line.admits
           AND fare.name = line.fare_name))
"""


class Migration(migrations.Migration):
    dependencies = [("bookings", "0004_cancellations")]
    operations = [
        migrations.RunSQL(FORWARD, BACKWARD),
        migrations.RunSQL(FILL, migrations.RunSQL.noop),
    ]
