"""Where people and programs meet Brain: parse, call, render. No rules live here."""
