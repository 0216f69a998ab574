"""Audit queries of inventory: each looks for rows that may not exist.

Some of these are constraints as well; the audit looks all the same, since a constraint can be
dropped and a restore can go wrong.
"""

from inventory.selectors import HAS_PLACES
from ticketing.kernel.audit import register_query

LOOK_AT_THE_HOLD = "find the hold with the admin's search, and block the seat until it is clear"

register_query(
    "a seat names a hold if and only if it is held or booked",
    advice=LOOK_AT_THE_HOLD,
    sql="""
        SELECT 'seat ' || id FROM inventory_eventseat
        WHERE (state IN ('held', 'booked')) <> (hold_id IS NOT NULL)
    """,
)
register_query(
    "a taken seat carries the token of its hold",
    advice=LOOK_AT_THE_HOLD,
    sql="""
        SELECT 'seat ' || seat.id FROM inventory_eventseat AS seat
        JOIN inventory_hold AS hold ON hold.id = seat.hold_id
        WHERE seat.fencing_token IS DISTINCT FROM hold.fencing_token
    """,
)
register_query(
    "a held seat has an active hold, a booked one a confirmed hold",
    advice=LOOK_AT_THE_HOLD,
    sql="""
        SELECT 'seat ' || seat.id FROM inventory_eventseat AS seat
        JOIN inventory_hold AS hold ON hold.id = seat.hold_id
        WHERE (seat.state = 'held' AND hold.state <> 'active')
           OR (seat.state = 'booked' AND hold.state <> 'confirmed')
    """,
)
register_query(
    "an active hold owns every seat it has a line for, and no other",
    advice="the hold is not whole: release it in the admin and tell the fan",
    sql="""
        SELECT 'hold ' || hold.id FROM inventory_hold AS hold
        WHERE hold.state = 'active' AND (
            (SELECT count(seat_id) FROM inventory_holdline WHERE hold_id = hold.id)
            <> (SELECT count(*) FROM inventory_eventseat WHERE hold_id = hold.id)
            OR EXISTS (
                SELECT FROM inventory_holdline AS line
                JOIN inventory_eventseat AS seat ON seat.id = line.seat_id
                WHERE line.hold_id = hold.id AND seat.hold_id IS DISTINCT FROM hold.id))
    """,
)
register_query(
    "a seat and its hold are of one event",
    advice=LOOK_AT_THE_HOLD,
    sql="""
        SELECT 'seat ' || seat.id FROM inventory_eventseat AS seat
        JOIN inventory_hold AS hold ON hold.id = seat.hold_id
        WHERE seat.event_id <> hold.event_id
    """,
)
register_query(
    "a pool counts as held what active holds hold",
    advice="correct the pool's figure to the sum of its active holds while its sale is paused",
    sql="""
        SELECT 'pool ' || pool.id FROM inventory_admissionpool AS pool
        WHERE pool.held <> coalesce((
            SELECT sum(line.places) FROM inventory_holdline AS line
            JOIN inventory_hold AS hold ON hold.id = line.hold_id
            WHERE line.pool_id = pool.id AND hold.state = 'active'), 0)
    """,
)
register_query(
    "a pool counts as booked what sold holds bought and did not give back",
    advice="correct the pool's figure to the sum of its sold holds while its sale is paused",
    sql="""
        SELECT 'pool ' || pool.id FROM inventory_admissionpool AS pool
        WHERE pool.booked <> coalesce((
            SELECT sum(line.places - line.cancelled) FROM inventory_holdline AS line
            JOIN inventory_hold AS hold ON hold.id = line.hold_id
            WHERE line.pool_id = pool.id AND hold.state = 'confirmed'), 0)
    """,
)
register_query(
    "a sold hold owns every seat that it bought and did not give back, and no other",
    advice=LOOK_AT_THE_HOLD,
    sql="""
        SELECT 'hold ' || hold.id FROM inventory_hold AS hold
        WHERE hold.state = 'confirmed' AND ARRAY(
            SELECT seat_id FROM inventory_holdline
            WHERE hold_id = hold.id AND seat_id IS NOT NULL AND cancelled = 0 ORDER BY 1
        ) <> ARRAY(SELECT id FROM inventory_eventseat WHERE hold_id = hold.id ORDER BY 1)
    """,
)
register_query(
    "a pool with a cap says so",
    advice="set its has_caps while its sale is paused, and count the cap anew",
    sql="""
        SELECT 'pool ' || id FROM inventory_admissionpool AS pool WHERE NOT has_caps
        AND EXISTS (SELECT FROM inventory_farecap WHERE pool_id = pool.id)
    """,
)
register_query(
    "a pool never holds and books more than its capacity",
    advice="pause the sale, then raise the capacity or cancel bookings",
    sql="SELECT 'pool ' || id FROM inventory_admissionpool WHERE held + booked > capacity",
)
register_query(
    "a fare's cap counts what holds have at it, and what was bought at it and not given back",
    advice="correct the cap's figures to these sums while the sale is paused",
    sql="""
        SELECT 'cap ' || cap.id FROM inventory_farecap AS cap
        WHERE NOT EXISTS (
            SELECT FROM inventory_holdline AS line JOIN inventory_hold AS hold
              ON hold.id = line.hold_id
            WHERE line.pool_id = cap.pool_id AND line.fare_id = cap.fare_id
            HAVING cap.held = coalesce(
                sum(line.places) FILTER (WHERE hold.state = 'active'), 0)
              AND cap.booked = coalesce(
                sum(line.places - line.cancelled) FILTER (WHERE hold.state = 'confirmed'), 0))
    """,
)
register_query(
    "no more places are held and booked at a fare than its cap",
    advice="pause the sale, then raise the cap or cancel bookings",
    sql="SELECT 'cap ' || id FROM inventory_farecap WHERE held + booked > capacity",
)
register_query(
    "a line is of whole tickets",
    advice="look at the booking: a ticket of its fare takes more places than are left of it",
    sql="""
        SELECT 'line ' || id FROM inventory_holdline
        WHERE places % admits <> 0 OR cancelled % admits <> 0
    """,
)
register_query(
    "a seat of an open event is of the map that the event pins",
    advice="the event was opened with another map: its seats have to be opened anew",
    sql="""
        SELECT 'seat ' || seat.id FROM inventory_eventseat AS seat
        JOIN venues_seat AS place ON place.id = seat.seat_id
        JOIN events_event AS event ON event.id = seat.event_id
        WHERE place.seat_map_id IS DISTINCT FROM event.seat_map_id
    """,
)
register_query(
    "no more holds go by a presale code than it allows",
    advice="tell the organizer, who may call the newest of them off",
    sql=f"""
        SELECT 'code ' || code.id FROM events_accesscode AS code WHERE code.max_holds < (
            SELECT count(*) FROM inventory_hold AS hold WHERE hold.access_code_id = code.id
            AND hold.state IN ('active', 'confirmed') AND {HAS_PLACES})
    """,  # noqa: S608
)
