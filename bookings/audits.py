"""Audit queries of bookings: each looks for a deal that does not agree with its parts."""

from ticketing.kernel.audit import register_query

TELL_THE_FAN = "look at the booking in the admin, mend it and tell the fan"

register_query(
    "a confirmed booking owns every place it sold",
    advice=TELL_THE_FAN,
    sql="""
        SELECT 'booking ' || booking.reference FROM bookings_booking AS booking
        WHERE booking.state = 'confirmed' AND EXISTS (
            SELECT FROM bookings_bookingline AS line
            JOIN inventory_eventseat AS seat ON seat.id = line.seat_id
            WHERE line.booking_id = booking.id AND line.cancellation_id IS NULL
              AND (seat.state <> 'booked' OR seat.hold_id IS DISTINCT FROM booking.hold_id))
    """,
)
register_query(
    "a booked seat has a confirmed booking",
    advice="nobody has paid for this seat: find its hold, then free the seat or book it by hand",
    sql="""
        SELECT 'seat ' || seat.id FROM inventory_eventseat AS seat
        WHERE seat.state = 'booked' AND NOT EXISTS (
            SELECT FROM bookings_bookingline AS line
            JOIN bookings_booking AS booking ON booking.id = line.booking_id
            WHERE line.seat_id = seat.id AND line.cancellation_id IS NULL
              AND booking.state = 'confirmed')
    """,
)
register_query(
    "a pool counts as booked what confirmed bookings have",
    advice="correct the pool's figure to the sum of its confirmed bookings",
    sql="""
        SELECT 'pool ' || pool.id FROM inventory_admissionpool AS pool
        WHERE pool.booked <> (
            SELECT coalesce(sum(line.admits), 0) FROM bookings_bookingline AS line
            JOIN bookings_booking AS booking ON booking.id = line.booking_id
            WHERE line.pool_id = pool.id AND line.cancellation_id IS NULL
              AND booking.state = 'confirmed')
    """,
)
register_query(
    "a confirmed booking is told in the outbox",
    advice="its tickets will not be issued by themselves: publish the fact again",
    sql="""
        SELECT 'booking ' || reference FROM bookings_booking AS booking
        WHERE state = 'confirmed' AND NOT EXISTS (
            SELECT FROM kernel_outboxmessage
            WHERE topic = 'bookings.booking_confirmed' AND key = booking.reference)
    """,
)
register_query(
    "a confirmed booking has its tickets within two minutes",
    advice="look for the dead fact in the admin and try it again",
    sql="""
        SELECT 'booking ' || booking.reference FROM bookings_booking AS booking
        WHERE booking.state = 'confirmed' AND booking.confirmed_at < now() - interval '2 minutes'
          AND EXISTS (SELECT FROM bookings_bookingline AS line WHERE line.booking_id = booking.id
            AND line.cancellation_id IS NULL
            AND NOT EXISTS (SELECT FROM bookings_ticket WHERE line_id = line.id))
    """,
)
register_query(
    "a valid ticket has one live credential",
    advice="void all its codes but the newest, in the database; without one, ask its developers",
    sql="""
        SELECT 'ticket ' || ticket.id FROM bookings_ticket AS ticket
        WHERE ticket.state = 'valid' AND 1 <> (
            SELECT count(*) FROM bookings_credential
            WHERE ticket_id = ticket.id AND voided_at IS NULL)
    """,
)
register_query(
    "a cancelled line has no valid ticket",
    advice="revoke the ticket: its place may be somebody else's",
    sql="""
        SELECT 'ticket ' || ticket.id FROM bookings_ticket AS ticket
        JOIN bookings_bookingline AS line ON line.id = ticket.line_id
        WHERE ticket.state = 'valid' AND line.cancellation_id IS NOT NULL
    """,
)
register_query(
    "a booking is cancelled if and only if each of its lines is",
    advice=TELL_THE_FAN,
    sql="""
        SELECT 'booking ' || booking.reference FROM bookings_booking AS booking
        JOIN bookings_bookingline AS line ON line.booking_id = booking.id
        GROUP BY booking.id
        HAVING (booking.state = 'cancelled') <> bool_and(line.cancellation_id IS NOT NULL)
    """,
)
register_query(
    "nothing is sold any more of an event that was cancelled an hour ago",
    advice="run `manage.py cancel_event` for it: the log says what is in the way",
    sql="""
        SELECT 'booking ' || booking.reference FROM bookings_booking AS booking
        JOIN events_event AS event ON event.id = booking.event_id
        WHERE event.state = 'cancelled' AND booking.state = 'confirmed' AND EXISTS (
            SELECT FROM kernel_outboxmessage WHERE topic = 'events.event_cancelled'
              AND key LIKE event.id || ' %' AND created_at < now() - interval '1 hour')
    """,
)
register_query(
    "what a cancellation promised is given back, or being given back",
    advice="nobody asked payments for this money: give it back, and tell the fan",
    sql="""
        SELECT 'booking ' || booking.reference FROM bookings_cancellation AS made
        JOIN bookings_booking AS booking ON booking.id = made.booking_id
        LEFT JOIN payments_payment AS payment
          ON payment.reference = booking.reference || '-' || booking.attempt
        WHERE made.refund_minor > 0 AND payment.unwanted_at IS NULL AND NOT EXISTS (
            SELECT FROM payments_refund AS refund
            WHERE refund.reference = payment.reference || '-c' || made.id
              AND refund.amount_minor = made.refund_minor)
    """,
)
register_query(
    "a booking costs what its lines cost",
    advice=TELL_THE_FAN,
    sql="""
        SELECT 'booking ' || booking.reference FROM bookings_booking AS booking
        WHERE booking.amount_minor <> booking.booking_fee_minor + (
            SELECT coalesce(sum(price_minor + fee_minor), 0) FROM bookings_bookingline
            WHERE booking_id = booking.id)
    """,
)
register_query(
    "a confirmed booking has its money, a lapsed one has none",
    advice="compare with the provider: `manage.py reconcile_payments`",
    sql="""
        SELECT 'booking ' || booking.reference FROM bookings_booking AS booking
        LEFT JOIN payments_payment AS payment
          ON payment.reference = booking.reference || '-' || booking.attempt
        WHERE (booking.state = 'confirmed' AND (payment.state IS NULL
               OR payment.state NOT IN ('authorized', 'captured')
               OR payment.amount_minor <> booking.amount_minor))
           OR (booking.state = 'lapsed' AND booking.lapsed_at < now() - interval '10 minutes'
               AND (payment.state = 'authorized'
                    OR (payment.state = 'captured'
                        AND payment.refunded_minor < payment.captured_minor)))
    """,
)
register_query(
    "money of an earlier try goes back within ten minutes",
    advice="look for the dead fact of this payment in the admin and try it again",
    sql="""
        SELECT 'payment ' || payment.reference FROM payments_payment AS payment
        JOIN bookings_booking AS booking
          ON booking.reference = substring(payment.reference FROM '^(.+)-[0-9]+$')
        WHERE payment.reference <> booking.reference || '-' || booking.attempt
          AND (payment.state = 'authorized'
               OR (payment.state = 'captured' AND payment.refunded_minor < payment.captured_minor))
          AND coalesce(payment.authorized_at, payment.settled_at) < now() - interval '10 minutes'
    """,
)
