"""Ruby sources: Rails' route files, Sinatra's blocks, background jobs."""

from __future__ import annotations

import re
from collections.abc import Iterator

from brain_dagster.codemap.base import MapEntry, MappedFile
from brain_dagster.codemap.routes import ruby_jobs, ruby_rails, ruby_sinatra
from brain_dagster.codemap.routes.strings import Strings
from brain_dagster.codemap.syntax import SyntaxTree

_RAILS_HINT = re.compile(r"\broutes\.draw\b")
# Rails reads these from its `draw(:name)`; nothing in them says that they are routes.
_RAILS_PART = re.compile(r"(?:^|/)config/routes/.+\.rb$")
_SINATRA_HINT = re.compile(r"\b[Ss]inatra\b")
_JOB_HINT = re.compile(
    r"\bSidekiq::(?:Worker|Job)\b|\b(?:ApplicationJob|ActiveJob::Base)\b|\bSneakers::Worker\b"
)


def map_ruby(file: MappedFile) -> Iterator[MapEntry]:
    """Map a Ruby source; files without a trace of route or job are not parsed."""
    is_part = _RAILS_PART.search(file.path) is not None
    has_routes = is_part or _RAILS_HINT.search(file.text) is not None
    has_sinatra = _SINATRA_HINT.search(file.text) is not None
    has_jobs = _JOB_HINT.search(file.text) is not None
    if not (has_routes or has_sinatra or has_jobs):
        return
    tree = SyntaxTree("ruby", file)
    if has_routes:
        yield from ruby_rails.read_routes(tree, file, is_part)
    elif has_sinatra:
        yield from ruby_sinatra.read_routes(tree, Strings(tree))
    if has_jobs:
        yield from ruby_jobs.read_jobs(tree)
