"""Cuts documents into chunks: code at declarations, prose at headings, PDFs at pages, the rest by lines."""
