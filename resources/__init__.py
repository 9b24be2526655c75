"""Dagster resources: database, embedder and sources, made from the settings."""
