"""The one funnel between a listed item and its outcome: rules, reading, decoding, parsing."""
