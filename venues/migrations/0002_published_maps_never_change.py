from django.db import migrations

FORWARD = """
CREATE FUNCTION venues_published_map_never_changes() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    -- Where the row was and where it goes: nothing may leave a published map either.
    map_ids bigint[];
BEGIN
    IF TG_TABLE_NAME = 'venues_seatmap' THEN
        IF OLD.state <> 'draft' AND (
            TG_OP = 'DELETE'
            OR (NEW.venue_id, NEW.name, NEW.version, NEW.content_hash, NEW.width, NEW.height,
                NEW.shapes, NEW.categories, NEW.published_at)
            IS DISTINCT FROM
               (OLD.venue_id, OLD.name, OLD.version, OLD.content_hash, OLD.width, OLD.height,
                OLD.shapes, OLD.categories, OLD.published_at)
        ) THEN
            RAISE EXCEPTION 'seat map % is published and can no longer change', OLD.id
                USING ERRCODE = 'check_violation', CONSTRAINT = 'venues_published_map_never_changes';
        END IF;
        RETURN COALESCE(NEW, OLD);
    ELSIF TG_TABLE_NAME = 'venues_row' THEN
        map_ids := ARRAY(SELECT seat_map_id FROM venues_section
            WHERE id IN (OLD.section_id, NEW.section_id));
    ELSE
        map_ids := ARRAY[OLD.seat_map_id, NEW.seat_map_id];
    END IF;
    IF EXISTS (SELECT FROM venues_seatmap WHERE id = ANY(map_ids) AND state <> 'draft') THEN
        RAISE EXCEPTION 'a seat map of % is published and can no longer change', map_ids
            USING ERRCODE = 'check_violation', CONSTRAINT = 'venues_published_map_never_changes';
    END IF;
    RETURN COALESCE(NEW, OLD);
END $$;
CREATE TRIGGER never_changes BEFORE UPDATE OR DELETE ON venues_seatmap
    FOR EACH ROW EXECUTE FUNCTION venues_published_map_never_changes();
CREATE TRIGGER never_changes BEFORE INSERT OR UPDATE OR DELETE ON venues_section
    FOR EACH ROW EXECUTE FUNCTION venues_published_map_never_changes();
CREATE TRIGGER never_changes BEFORE INSERT OR UPDATE OR DELETE ON venues_row
    FOR EACH ROW EXECUTE FUNCTION venues_published_map_never_changes();
CREATE TRIGGER never_changes BEFORE INSERT OR UPDATE OR DELETE ON venues_seat
    FOR EACH ROW EXECUTE FUNCTION venues_published_map_never_changes();
"""
BACKWARD = """
DROP TRIGGER never_changes ON venues_seat;
DROP TRIGGER never_changes ON venues_row;
DROP TRIGGER never_changes ON venues_section;
DROP TRIGGER never_changes ON venues_seatmap;
DROP FUNCTION venues_published_map_never_changes();
"""


class Migration(migrations.Migration):
    dependencies = [("venues", "0001_initial")]
    operations = [migrations.RunSQL(FORWARD, BACKWARD)]
