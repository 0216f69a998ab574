from django.db import migrations, models

FILL = r"""
UPDATE bookings_booking
SET email_key = regexp_replace(lower(trim(email)), '^([^+@]+)\+[^@]*@', '\1@')
"""


class Migration(migrations.Migration):
    dependencies = [("bookings", "0001_initial")]
    operations = [
        migrations.AddField(
            model_name="booking",
            name="email_key",
            field=models.CharField(default="", max_length=254),
            preserve_default=False,
        ),
        migrations.RunSQL(FILL, migrations.RunSQL.noop),
        migrations.AddIndex(
            model_name="booking",
            index=models.Index(fields=["event", "email_key"], name="bookings_by_person"),
        ),
    ]
