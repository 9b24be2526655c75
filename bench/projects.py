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
        ended = subprocess.run(command, cwd=folder, check=False, capture_output=True, text=True)
    except OSError as error:
        raise NotFetched(f"{command[0]} is not here: {error}") from error
    if ended.returncode:
        said = (ended.stderr.strip().splitlines() or [""])[-1]
        raise NotFetched(f"{command[0]} ended with {ended.returncode}: {said}")


_CROWDSEC = "usr/share/gocode/src/github.com/crowdsecurity/crowdsec"
_STEP = "usr/share/gocode/src/github.com/smallstep/certificates"

PROJECTS = (
    Project("sdist", "requests", "2.32.3", "requests-2.32.3", language="manifests"),
    Project("sdist", "libcst", "1.4.0", "libcst-1.4.0", language="manifests"),
    Project("sdist", "flask", "3.0.3", "flask-3.0.3", language="manifests"),
    Project("npm", "fastify", "4.28.1", "package", language="manifests"),
    Project("npm", "npm", "10.8.2", "package", language="manifests"),
    Project("pip", "httpbin", "0.10.2", language="Flask"),
    Project("pip", "docling-serve", "1.38.2", language="FastAPI"),
    Project("pip", "optuna-dashboard", "0.21.0", language="Bottle"),
    Project("pip", "postorius", "1.3.13", language="Django"),
    Project("pip", "hyperkitty", "1.3.12", language="Django"),
    Project("pip", "fittrackee", "1.3.6", language="Flask, Dramatiq"),
    Project("pip", "chromadb", "1.5.9", language="FastAPI, gRPC"),
    Project("pip", "dagster-webserver", "1.13.27", language="Starlette"),
    Project("pip", "pypiserver", "2.4.2", language="Bottle"),
    Project("pip", "googleapis-common-protos", "1.76.0", language="gRPC"),
    Project("pip", "maubot", "0.6.0", language="aiohttp"),
    Project("pip", "mautrix-telegram", "0.15.3", language="aiohttp"),
    Project("pip", "flower", "2.2.0", language="Tornado"),
    Project("npm", "redis-commander", "0.9.0", "package", language="Express"),
    Project("npm", "json-server", "0.17.4", "package", language="Express"),
    Project("npm", "mongo-express", "1.0.2", "package", language="Express"),
    Project("npm", "@fastify/swagger-ui", "6.1.3", "package", language="Fastify"),
    Project("npm", "@urbansolv/create-nestjs-app", "1.2.10", "package", language="NestJS"),
    Project("npm", "create-payload-app", "3.90.2", "package", language="Next.js"),
    Project(
        "apt", "golang-github-crowdsecurity-crowdsec-dev", "1.4.6-6~deb12u1", _CROWDSEC, language="Go: gin"
    ),
    Project("apt", "golang-github-smallstep-certificates-dev", "0.19.0-1", _STEP, language="Go: chi"),
    Project("apt", "schleuder", "4.0.3-7+deb12u1", language="Sinatra"),
    Project("apt", "ruby-actionmailbox", "2:6.1.7.10+dfsg-1~deb12u4", language="Rails"),
    Project("apt", "shaarli", "0.12.1+dfsg-8+deb12u2", language="Slim"),
)
