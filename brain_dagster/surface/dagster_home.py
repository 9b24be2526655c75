"""The Dagster instance that belongs to a BRAIN_HOME: its folder, its file, its environment."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from tempfile import NamedTemporaryFile

from brain_dagster.errors import BadUsage
from brain_dagster.settings import REPOSITORY_ROOT, Settings
from brain_dagster.store.server import dagster_storage_url

INSTANCE_FILE = REPOSITORY_ROOT / "dagster.yaml"
WORKSPACE_FILE = REPOSITORY_ROOT / "workspace.yaml"


def dagster_environment(settings: Settings) -> Mapping[str, str]:
    """Make BRAIN_HOME/dagster what dagster.yaml says, and return the environment that leads there.

    The environment holds absolute paths, so that it means the same in every working directory: give it to
    child processes, or put it into `os.environ` before the first Dagster call of this process. The embedded
    database is started if there is no other; the schemas must exist (`migrate`).

    Errors  those of `open_database`; BadUsage where the program is not run from its checkout.
    """
    if not WORKSPACE_FILE.exists():
        raise BadUsage(
            "Dagster needs the checkout: workspace.yaml is not there", subject=str(REPOSITORY_ROOT)
        )
    storage = dagster_storage_url(settings)
    folder = settings.home_path / "dagster"
    folder.mkdir(parents=True, exist_ok=True)
    _refresh(folder / "dagster.yaml", INSTANCE_FILE.read_bytes())
    environment = {
        "BRAIN_HOME": str(settings.home_path),
        "DAGSTER_HOME": str(folder),
        "BRAIN_DAGSTER_PG_URL": storage,
    }
    if settings.database_url is not None:
        environment["BRAIN_DATABASE_URL"] = settings.database_url
    return environment


def _refresh(file: Path, wanted: bytes) -> None:
    """Write the file if it differs, in one step: others may be reading it right now."""
    if file.exists() and file.read_bytes() == wanted:
        return
    with NamedTemporaryFile(dir=file.parent, prefix=".dagster.yaml.", delete=False) as part:
        part.write(wanted)
    Path(part.name).replace(file)
