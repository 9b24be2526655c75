"""Turns bytes and text into parsed documents, in child processes with a clock and a memory cap."""
