"""The Dagster skin: one file per stage, in pipeline order, checks beside assets."""
