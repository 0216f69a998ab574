"""Audit queries of payments: each looks for money that does not agree with itself."""

from ticketing.kernel.audit import register_query

ASK = "compare with the provider: `manage.py reconcile_payments --all`"

register_query(
    "refunded is within captured, and captured within the amount",
    advice="compare the payment with the provider's dashboard",
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
