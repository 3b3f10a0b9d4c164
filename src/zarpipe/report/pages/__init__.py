"""The pages of the study: one HTML file each that needs no other file."""
