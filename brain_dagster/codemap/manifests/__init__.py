"""Readers of the files that say what a project needs, what belongs to it, and what it installs or starts."""
