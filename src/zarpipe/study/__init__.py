"""The study: its recipes, where its files lie, what each job depends on, and what would run."""
