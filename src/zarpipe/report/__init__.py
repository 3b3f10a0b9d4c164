"""Stage 6: tables and figures."""
