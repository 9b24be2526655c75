"""Brain: a company's knowledge base as a data-engineering project."""

__version__ = "0.1.0"
