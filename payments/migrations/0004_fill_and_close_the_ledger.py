from django.db import migrations

# What is known of payments made before there was a ledger. Refunds made in the provider's dashboard
# are not: they are entered, each by its name, when the provider is next asked about the payment.
FILL = """
INSERT INTO payments_movement (payment_id, kind, amount_minor, currency, provider_id, at)
SELECT id, 'authorized', amount_minor, currency, provider_intent,
    coalesce(authorized_at, settled_at)
FROM payments_payment
WHERE state IN ('authorized', 'captured', 'voided', 'capture_failed') AND amount_minor > 0;

INSERT INTO payments_movement (payment_id, kind, amount_minor, currency, provider_id, at)
SELECT id, 'captured', captured_minor, currency, provider_intent, settled_at
FROM payments_payment WHERE captured_minor > 0;

INSERT INTO payments_movement (payment_id, kind, amount_minor, currency, provider_id, at)
SELECT id, 'voided', captured_minor - amount_minor, currency, provider_intent, settled_at
FROM payments_payment
WHERE state IN ('captured', 'voided', 'capture_failed') AND captured_minor < amount_minor;

INSERT INTO payments_movement (payment_id, kind, amount_minor, currency, provider_id, at)
SELECT payment.id, 'refunded', -refund.amount_minor, payment.currency, refund.provider_refund,
    coalesce(refund.settled_at, refund.created_at)
FROM payments_refund AS refund JOIN payments_payment AS payment ON payment.id = refund.payment_id
WHERE refund.state IN ('pending', 'succeeded') AND refund.provider_refund <> '';
"""
# Leaves the table to be dropped as a whole.
EMPTY = "TRUNCATE payments_movement"
CLOSE = """
CREATE FUNCTION payments_movements_are_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'the ledger is a record: enter the opposite instead of changing a movement'
        USING ERRCODE = 'check_violation', CONSTRAINT = 'payments_movements_are_append_only';
END $$;
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON payments_movement
    FOR EACH STATEMENT EXECUTE FUNCTION payments_movements_are_append_only();
"""
OPEN = """
DROP TRIGGER append_only ON payments_movement;
DROP FUNCTION payments_movements_are_append_only();
"""


class Migration(migrations.Migration):
    dependencies = [("payments", "0003_movements")]
    operations = [migrations.RunSQL(FILL, EMPTY), migrations.RunSQL(CLOSE, OPEN)]
