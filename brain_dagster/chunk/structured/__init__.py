"""Markup, configuration and style sheets, cut by their own structure: keys, elements, rules, headings."""
