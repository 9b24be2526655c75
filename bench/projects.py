"""Real projects at pinned versions, fetched through the ordinary package clients and never installed.

A Python project comes as the wheel of its release, or where its manifests count as the source distribution
("sdist", for which pip runs the project's own build backend to learn its name), a npm one as its tarball, a
Debian one as the binary package that holds its sources. Everything stays in the cache folder of the
benchmarks, so that a second run downloads nothing.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from bench.corpora import cache_folder


class NotFetched(Exception):
    """The client is not on this machine, or its registry does not have this version any more."""


@dataclass(frozen=True, slots=True)
class Project:
    """One project; `folder` is the part of its package that is mapped, and the truth's paths start there."""

    client: Literal["pip", "sdist", "npm", "apt"]
    package: str
    version: str
    folder: str = "."
    language: str = ""

    @property
    def name(self) -> str:
        """The name of its file of truth, and what the report calls it."""
        return self.package.removeprefix("@").replace("/", "-")

    def fetch(self) -> Path:
        """Return the folder that is mapped, downloaded if it is not in the cache.

        Errors  NotFetched.
        """
        target = cache_folder() / "projects" / f"{self.name}-{self.version.replace(':', '_')}"
        if not target.is_dir():
            print(f"downloading {self.package} {self.version} through {self.client}", flush=True)
            with tempfile.TemporaryDirectory(dir=cache_folder()) as scratch:
                _CLIENTS[self.client](self, Path(scratch))
                target.parent.mkdir(exist_ok=True)
                shutil.move(Path(scratch, "unpacked"), target)
        return target / self.folder


def _from_pip(project: Project, scratch: Path) -> None:
    pip = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"]
    _run([*pip, "--only-binary", ":all:", "--dest", ".", f"{project.package}=={project.version}"], scratch)
    (wheel,) = scratch.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(scratch / "unpacked")


def _from_sdist(project: Project, scratch: Path) -> None:
    pip = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"]
    wanted = ["--no-binary", project.package, "--dest", ".", f"{project.package}=={project.version}"]
    _run([*pip, *wanted], scratch)
    (tarball,) = scratch.glob("*.tar.gz")
    with tarfile.open(tarball) as archive:
        archive.extractall(scratch / "unpacked", filter="data")


def _from_npm(project: Project, scratch: Path) -> None:
    _run(["npm", "pack", "--silent", "--ignore-scripts", f"{project.package}@{project.version}"], scratch)
    (tarball,) = scratch.glob("*.tgz")
    with tarfile.open(tarball) as archive:
        archive.extractall(scratch / "unpacked", filter="data")


def _from_apt(project: Project, scratch: Path) -> None:
    _run(["apt-get", "-qq", "download", f"{project.package}={project.version}"], scratch)
    (package,) = scratch.glob("*.deb")
    _run(["dpkg-deb", "--extract", package.name, "unpacked"], scratch)


_CLIENTS: dict[str, Callable[[Project, Path], None]] = {
    "pip": _from_pip,
    "sdist": _from_sdist,
    "npm": _from_npm,
    "apt": _from_apt,
}


def _run(command: list[str], folder: Path) -> None:
    try:
        subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL)
    except (OSError, subprocess.CalledProcessError) as error:
        raise NotFetched(f"{command[0]} did not bring it: {error}") from error


PROJECTS = (
    Project("sdist", "requests", "2.32.3", "requests-2.32.3", language="manifests"),
    Project("sdist", "libcst", "1.4.0", "libcst-1.4.0", language="manifests"),
    Project("sdist", "flask", "3.0.3", "flask-3.0.3", language="manifests"),
    Project("npm", "fastify", "4.28.1", "package", language="manifests"),
    Project("npm", "npm", "10.8.2", "package", language="manifests"),
    Project("pip", "httpbin", "0.10.2", language="Flask"),
    Project("apt", "redmine", "5.0.4-5+deb12u1", language="Rails"),
)
