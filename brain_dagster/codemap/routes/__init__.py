"""Readers of sources: HTTP routes, gRPC services, message consumers and what starts, by language and framework."""
