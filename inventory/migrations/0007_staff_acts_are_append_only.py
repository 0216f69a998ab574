from django.db import migrations

# The name of the rule that is broken is the trigger's argument.
FORWARD = """
CREATE FUNCTION inventory_is_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'what staff did is a record: nothing in it changes'
        USING ERRCODE = 'check_violation', CONSTRAINT = TG_ARGV[0];
END $$;
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON inventory_blockchange
    FOR EACH STATEMENT
    EXECUTE FUNCTION inventory_is_append_only('inventory_block_changes_are_append_only');
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON inventory_holdrelease
    FOR EACH STATEMENT
    EXECUTE FUNCTION inventory_is_append_only('inventory_hold_releases_are_append_only');
"""
BACKWARD = """
DROP TRIGGER append_only ON inventory_holdrelease;
DROP TRIGGER append_only ON inventory_blockchange;
DROP FUNCTION inventory_is_append_only();
"""


class Migration(migrations.Migration):
    dependencies = [("inventory", "0006_staff_acts")]
    operations = [migrations.RunSQL(FORWARD, BACKWARD)]
