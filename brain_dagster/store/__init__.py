"""The only code that talks SQL: pool, migrations, query loader, writers."""
