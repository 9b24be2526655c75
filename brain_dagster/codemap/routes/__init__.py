"""Readers of sources: routes, gRPC services, message consumers and what starts, by language and framework."""
