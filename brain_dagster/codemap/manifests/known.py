"""Which file is read by which reader of manifests and starting files."""

from __future__ import annotations

from brain_dagster.codemap.base import Reader
from brain_dagster.codemap.manifests.dart_pub import read_pubspec
from brain_dagster.codemap.manifests.dotnet import (
    read_dotnet_project,
    read_packages_config,
    read_solution,
)
from brain_dagster.codemap.manifests.elixir_mix import read_mix
from brain_dagster.codemap.manifests.go_module import read_go_mod, read_go_work
from brain_dagster.codemap.manifests.gradle import read_gradle, read_gradle_settings, read_version_catalog
from brain_dagster.codemap.manifests.maven import read_pom
from brain_dagster.codemap.manifests.node_package import (
    read_composer_json,
    read_package_json,
    read_pnpm_workspace,
)
from brain_dagster.codemap.manifests.python_project import read_pipfile, read_pyproject, read_requirements
from brain_dagster.codemap.manifests.python_setup import read_setup_cfg, read_setup_py
from brain_dagster.codemap.manifests.ruby_gems import read_gemfile, read_gemspec
from brain_dagster.codemap.manifests.rust_crate import read_cargo
from brain_dagster.codemap.manifests.swift_package import read_swift_package
from brain_dagster.codemap.starting_files import (
    read_cloud_template,
    read_compose,
    read_dockerfile,
    read_procfile,
    read_serverless,
    read_unit,
)

# Patterns of whole file names, in lower case.
MANIFESTS: dict[str, Reader] = {
    r"pyproject\.toml": read_pyproject,
    r"setup\.cfg": read_setup_cfg,
    r"pipfile": read_pipfile,
    r"(?:[\w.-]+[-_.])?requirements(?:[-_.][\w.-]+)?\.(?:txt|in)": read_requirements,
    r"package\.json": read_package_json,
    r"pnpm-workspace\.ya?ml": read_pnpm_workspace,
    r"composer\.json": read_composer_json,
    r"go\.mod": read_go_mod,
    r"go\.work": read_go_work,
    r"cargo\.toml": read_cargo,
    r"pom\.xml": read_pom,
    r"settings\.gradle(?:\.kts)?": read_gradle_settings,
    r"[\w.-]+\.gradle(?:\.kts)?": read_gradle,
    r"[\w-]+\.versions\.toml": read_version_catalog,
    r"gemfile|gems\.rb": read_gemfile,
    r".+\.gemspec": read_gemspec,
    r".+\.(?:cs|fs|vb)proj|directory\.(?:packages|build)\.(?:props|targets)": read_dotnet_project,
    r"packages\.config": read_packages_config,
    r".+\.slnx?": read_solution,
    r"mix\.exs": read_mix,
    r"pubspec\.yaml": read_pubspec,
    r"package(?:@swift-[\d.]+)?\.swift": read_swift_package,
}
# A file of these names that does not have the form is something else, and not a broken manifest.
STARTING_FILES: dict[str, Reader] = {
    r"(?:.+\.)?dockerfile|dockerfile\..+|containerfile": read_dockerfile,
    r"procfile(?:\.\w+)?": read_procfile,
    r"(?:docker-)?compose(?:[.-][\w-]+)*\.ya?ml": read_compose,
    r"serverless(?:[.-][\w-]+)*\.ya?ml": read_serverless,
    r"(?:sam-?)?template\.ya?ml": read_cloud_template,
    r".+\.service": read_unit,
    r"setup\.py": read_setup_py,
}
