from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("inventory", "0001_initial")]
    operations = [
        migrations.RunSQL(
            "CREATE SEQUENCE inventory_fencing_token AS bigint",
            "DROP SEQUENCE inventory_fencing_token",
        )
    ]
