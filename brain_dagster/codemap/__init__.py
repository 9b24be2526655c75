"""The code map: manifests, dependencies, entry points and HTTP routes, each with its line."""
