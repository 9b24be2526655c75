"""Reads pages from their pictures where their text layer says nothing."""
