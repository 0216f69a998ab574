"""Audit queries of payments: each looks for money that does not agree with itself."""

from ticketing.kernel.audit import register_query

ASK = "compare with the provider: `manage.py reconcile_payments --all`"
COMPARE = "compare it with the provider's dashboard"

register_query(
    "refunded is within captured, and captured within the amount",
    advice=COMPARE,
    sql="""
        SELECT 'payment ' || reference FROM payments_payment
        WHERE refunded_minor > captured_minor OR captured_minor > amount_minor
    """,
)
register_query(
    "a captured payment took all that was asked for",
    advice="somebody captured a part of it at the provider: settle the rest by hand",
    sql="""
        SELECT 'payment ' || reference FROM payments_payment
        WHERE state = 'captured' AND captured_minor <> amount_minor
    """,
)
# The payments with what the ledger says of each, in the payment's own currency.
LEDGER = """
    SELECT 'payment ' || reference FROM payments_payment AS payment LEFT JOIN (
        SELECT payment_id, currency,
            coalesce(sum(amount_minor) FILTER (WHERE kind = 'captured'), 0) AS captured,
            -coalesce(sum(amount_minor) FILTER (WHERE kind IN ('refunded', 'refund_failed')), 0)
                AS refunded,
            coalesce(sum(amount_minor) FILTER (WHERE kind IN ('authorized', 'voided')), 0)
                - coalesce(sum(amount_minor) FILTER (WHERE kind = 'captured'), 0) AS reserved
        FROM payments_movement GROUP BY payment_id, currency
    ) AS ledger ON ledger.payment_id = payment.id AND ledger.currency = payment.currency
"""
register_query(
    "a payment took and gave back what its movements add up to",
    advice=f"its amounts were written past the ledger: {COMPARE}",
    sql=LEDGER
    + """
        WHERE captured_minor <> coalesce(ledger.captured, 0)
           OR refunded_minor <> coalesce(ledger.refunded, 0)
    """,
)
register_query(
    "money is reserved in the ledger exactly while its payment is authorized",
    advice=f"its state was written past the ledger: {COMPARE}",
    sql=LEDGER
    + """
        WHERE coalesce(ledger.reserved, 0)
            <> CASE state WHEN 'authorized' THEN amount_minor ELSE 0 END
    """,
)
register_query(
    "what a payment moved is of its own currency",
    advice="find out who wrote this movement, then enter its opposite",
    sql="""
        SELECT 'payment ' || reference FROM payments_payment AS payment
        JOIN payments_movement AS movement ON movement.payment_id = payment.id
        WHERE movement.kind <> 'fee' AND movement.currency <> payment.currency
    """,
)
register_query(
    "a payment that is not at rest is asked about",
    advice=ASK,
    sql="""
        SELECT 'payment ' || reference FROM payments_payment AS payment
        WHERE next_check_at IS NULL AND (
            state IN ('created', 'pending', 'authorized')
            OR EXISTS (SELECT FROM payments_providercall
                WHERE payment_id = payment.id AND state <> 'answered')
            OR EXISTS (SELECT FROM payments_refund
                WHERE payment_id = payment.id AND state IN ('requested', 'pending')))
    """,
)
register_query(
    "no call to the provider stays unknown for five minutes",
    advice=f"is the provider reachable? {ASK}",
    sql="""
        SELECT 'call ' || idempotency_key FROM payments_providercall
        WHERE state <> 'answered' AND created_at < now() - interval '5 minutes'
    """,
)
register_query(
    "no open payment outlives its deadline by five minutes",
    advice=f"does the worker run? {ASK}",
    sql="""
        SELECT 'payment ' || reference FROM payments_payment
        WHERE state IN ('created', 'pending') AND deadline_at < now() - interval '5 minutes'
    """,
)
register_query(
    "money that nobody wants goes back within ten minutes",
    advice=f"give it back in the provider's dashboard, then {ASK}",
    sql="""
        SELECT 'payment ' || reference FROM payments_payment
        WHERE unwanted_at < now() - interval '10 minutes'
          AND (state = 'authorized' OR refunded_minor < captured_minor)
    """,
)
register_query(
    "no more is promised back than was taken",
    advice="refuse what is still pending at the provider, and look at the payment's refunds",
    sql="""
        SELECT 'payment ' || payment.reference FROM payments_payment AS payment
        JOIN payments_refund AS refund
          ON refund.payment_id = payment.id AND refund.state <> 'failed'
        GROUP BY payment.id
        HAVING sum(refund.amount_minor) > CASE WHEN payment.state = 'captured'
            THEN payment.captured_minor ELSE payment.amount_minor END
    """,
)
register_query(
    "what was refunded is the sum of the refunds",
    advice=ASK,
    sql="""
        SELECT 'payment ' || reference FROM payments_payment AS payment
        WHERE refunded_minor <> coalesce((SELECT sum(amount_minor) FROM payments_refund
            WHERE payment_id = payment.id AND state IN ('pending', 'succeeded')), 0)
    """,
)
register_query(
    "no refund has failed whose money is still here",
    advice="try it again in the admin; if the card is gone, give the money back another way",
    sql="""
        SELECT 'refund ' || refund.reference FROM payments_refund AS refund
        JOIN payments_payment AS payment ON payment.id = refund.payment_id
        WHERE refund.state = 'failed'
          AND refund.amount_minor <= payment.captured_minor - payment.refunded_minor
          AND NOT EXISTS (SELECT FROM payments_refund WHERE again_of_id = refund.id)
    """,
)
