"""How the page shows tables and figures that are more than a table.

A module has ``TEMPLATE``, a template of `templates/sections`, and ``section(study, table)``, which returns
what that shows besides the table. ``"table"`` among it replaces the table.
"""
