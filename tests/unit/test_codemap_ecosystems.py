"""Workspaces, and the manifests of further ecosystems: every entry with its line, written out by hand."""

from __future__ import annotations

import pytest

from brain_dagster.codemap.mapping import map_document

Expected = list[tuple[str, str, str, int]]

UV = """\
[project]
name = "root"
[tool.uv.workspace]
members = [
    "packages/*",
    "apps/web",
]
exclude = ["packages/old"]
[tool.uv]
dev-dependencies = ["mypy>=1"]
[tool.hatch.envs.docs]
dependencies = [
  "mkdocs~=1.6",
]
[tool.hatch.envs.docs.workspace]
members = ["libs/a", {path = "libs/b"}]
[tool.pdm.dev-dependencies]
test = ["pytest", "-e file:///here"]
"""

POETRY_PLUGINS = """\
[tool.poetry]
name = "p"
[tool.poetry.dependencies]
foo = [
    {version = "<=1.9", python = ">=3.6,<3.8"},
    {version = "^2.0", python = ">=3.8"},
]
bar = {git = "https://example.com/bar.git", branch = "main"}
[tool.poetry.scripts]
plain = "p:main"
table = {reference = "p.table:main", type = "console"}
[tool.poetry.plugins."acme.handlers"]
h = "p.handlers:H"
"""

ENTRY_POINT_GROUPS = """\
[project]
name = "p"
[project.gui-scripts]
p-gui = "p.gui:run"
[project.entry-points.console_scripts]
p-old = "p:old"
[project.entry-points]
pytest11 = {plug = "p.plug"}
"""

PIPFILE = """\
[[source]]
url = "https://pypi.org/simple"
name = "pypi"

[packages]
requests = "*"
django = {version = ">=4", extras = ["argon2"]}

[dev-packages]
pytest = "~=8.0"

[requires]
python_version = "3.12"
"""

SETUP_PY = """\
from setuptools import setup, find_packages

REQUIRES = [
    "requests>=2",
    "attrs ; python_version<'3.12'",
]
TESTS = ("pytest",)
VERSION = "1.4"

setup(
    name="acme",
    version=VERSION,
    packages=find_packages(),
    install_requires=REQUIRES + ["click"],
    extras_require={
        "docs": ["sphinx<8"],
        "test": TESTS,
    },
    entry_points={
        "console_scripts": [
            "acme = acme.cli:main",
        ],
        "acme.plugins": "one = acme.one:One",
    },
    scripts=["bin/acme-old"],
)
"""

SETUP_PY_TEXT = '''\
import setuptools
setuptools.setup(
    name="b",
    install_requires=read("requirements.txt"),
    entry_points="""
        [console_scripts]
        b = b:main
        [b.plugins]
        x = b.x:X
    """,
)
'''

SETUP_CFG = """\
[metadata]
name: acme
[options]
setup_requires = wheel
install_requires =
    # a comment
    requests>=2

    attrs
[options.entry_points]
gui_scripts =
    acme-gui = acme.gui:main
acme.plugins =
    one = acme.one:One
"""

NPM_WORKSPACE = """\
{
  "name": "mono",
  "private": true,
  "workspaces": {
    "packages": [
      "packages/*",
      "apps/site"
    ],
    "nohoist": ["**/x"]
  },
  "exports": {
    ".": {
      "types": "./index.d.ts",
      "import": {"node": "./index.mjs", "default": "./web.mjs"},
      "require": "./index.cjs"
    },
    "./feature": "./feature.js",
    "./internal/*": null
  }
}
"""

PNPM = """\
packages:
  - 'packages/*'
  - apps/*   # all of them
  - '!**/test/**'
catalog:
  react: ^18.3.1
catalogs:
  legacy:
    react: ^17.0.2
"""

COMPOSER = """\
{"name": "acme/mono",
 "repositories": [
   {"type": "path", "url": "packages/*"},
   {"type": "vcs", "url": "https://example.com"}
 ],
 "bin": ["bin/a",
   "bin/b"]}
"""

GO_WORK = """\
go 1.22.1

use (
\t./api // the service
\t./lib
)

use ./tools

replace example.com/x => ./x
"""

GO_MOD_NEWER = """\
module "example.com/quoted" // Deprecated: use v2

go 1.24
toolchain go1.24.1
tool example.com/tools/gen
require (
\texample.com/a v1.0.0 // indirect; see below
\texample.com/b v1.2.3-0.20240101000000-abcdef012345

\t// example.com/c v1.0.0
)
retract [v1.0.0, v1.1.0]
"""

CARGO_WORKSPACE = """\
[workspace]
resolver = "2"
members = [
  "crates/*",
  "xtask",
]
exclude = ["fuzz"]

[workspace.dependencies]
serde = "1"

[[bin]]
name = "one"
[[bin]]
path = "src/two.rs"
name = "two"
"""

CARGO_MEMBER = """\
package.name = "member"
[dependencies]
serde.workspace = true
extra = { version = "2", optional = true }
[build-dependencies]
cc = "1"
"""

POM_MODULES = """\
<project>
  <groupId>g</groupId><artifactId>all</artifactId><version>1</version>
  <modules>
    <module>core</module>
    <module>web</module>
  </modules>
  <profiles><profile><modules>
    <module>extra</module>
  </modules></profile></profiles>
  <build><plugins><plugin>
    <artifactId>exec</artifactId>
    <configuration>
      <mainClass>org.acme.Main</mainClass>
      <other><mainClass>${start}</mainClass></other>
    </configuration>
  </plugin></plugins></build>
</project>
"""

GRADLE_GROOVY = """\
buildscript {
  dependencies {
    classpath 'com.android.tools.build:gradle:8.1.0'
  }
}
application { mainClass = 'org.acme.Main' }
dependencies {
  implementation 'a:b:1', 'c:d:2'
  implementation("e:f:$fVersion") {
    exclude group: 'x', module: 'y'
  }
  implementation fileTree(dir: 'libs', include: ['*.jar'])
  api(
    [group: 'g', name: 'n', version: '3'],
    [group: 'g', name: 'm'])
  /* implementation 'commented:out:1' */
  if (extra) {
    runtimeOnly "h:i:4:all@jar"
  }
  constraints {
    implementation('j:k:5') { because 'it broke' }
  }
  implementation project(path: ':core', configuration: 'shadow')
  testImplementation platform(libs.junit.bom)
  testImplementation gradleTestKit()
}
task hello(type: JavaExec) {
  mainClass = 'not.the.Main'
  doLast { println 'not:a:dependency' }
}
"""

GRADLE_KOTLIN = """\
application {
    mainClass.set("org.acme.MainKt")
}
kotlin {
    sourceSets {
        commonMain.dependencies {
            implementation("a:b:${bVersion}")
        }
    }
}
dependencies {
    implementation(kotlin("stdlib"))
    add("ksp", "c:d:2")
    "custom"("e:f:3")
    implementation(projects.core)
    compileOnly(group = "g", name = "n", version = "4")
    constraints { api("h:i:5") }
}
"""

SETTINGS_GROOVY = """\
rootProject.name = 'acme'
include ':core', ':web'
include 'a',
    // the second
    'b:c'
include('tools:gen')
includeBuild '../shared'
"""

SETTINGS_KOTLIN = """\
pluginManagement { includeBuild("build-logic") }
rootProject.name = "acme"
include(
    ":core",
    ":web",
)
"""

CATALOG = """\
[versions]
kotlin = "2.0.0"
junit = { strictly = "5.10" }
[libraries]
okhttp = "com.squareup.okhttp3:okhttp:4.12.0"
kotlin-stdlib = { module = "org.jetbrains.kotlin:kotlin-stdlib", version.ref = "kotlin" }
junit_api = { group = "org.junit.jupiter", name = "junit-jupiter-api", version.ref = "junit" }
[plugins]
ksp = { id = "com.google.devtools.ksp", version = "2.0.0-1.0.21" }
"""

GEMSPEC = """\
# frozen_string_literal: true
require_relative "lib/acme/version"

Gem::Specification.new "acme" do |spec|
  spec.summary = "no"
  spec.version = Acme::VERSION
  spec.executables = %w[acme acme-server]
  spec.add_dependency "rack", ">= 2", "< 4"
  spec.add_runtime_dependency("thor".freeze, ["~> 1.0".freeze])
  spec.add_development_dependency 'rspec', '~> 3'
end
"""

GEMFILE = """\
source "https://rubygems.org"
gemspec
group :test do
  platforms :ruby do
    gem "sqlite3"
  end
end
gem "local", path: "../local"
gem "forked",
    git: "https://example.com/forked.git",
    groups: [:a, :b]
if ENV["X"]
  gem "#{prefix}-x"
end
puts 'gem "no"'
"""

PROPS = """\
<Project>
  <ItemGroup>
    <PackageVersion Include="Serilog" Version="3.1.1" />
    <GlobalPackageReference Include="Nerdbank" Version="3.6" />
  </ItemGroup>
</Project>
"""

TOOL_PROJECT = """\
<Project Sdk="Microsoft.NET.Sdk">
  <PropertyGroup>
    <TargetFramework>net8.0</TargetFramework>
    <ToolCommandName>acme</ToolCommandName>
  </PropertyGroup>
  <Choose><When Condition="x"><ItemGroup>
    <PackageReference Include="Inner" VersionOverride="2.0" />
  </ItemGroup></When></Choose>
</Project>
"""

PACKAGES_CONFIG = """\
<?xml version="1.0"?>
<packages>
  <package id="NUnit" version="3.0" developmentDependency="true" />
</packages>
"""

SOLUTION = """\

Microsoft Visual Studio Solution File, Format Version 12.00
Project("{FAE04EC0-301F-11D3-BF4B-00C04F79EFBC}") = "App", "src\\App\\App.csproj", "{1}"
EndProject
Project("{2150E333-8FDC-42A3-9474-1A3956D46DE8}") = "docs", "docs", "{2}"
EndProject
"""

SLNX = """\
<Solution>
  <Folder Name="/src/">
    <Project Path="src/App/App.csproj" />
  </Folder>
</Solution>
"""

MIX = """\
defmodule Acme.MixProject do
  use Mix.Project

  def project do
    [
      app: :acme,
      version: "0.3.0",
      apps_path: "apps",
      escript: [main_module: Acme.CLI],
      deps: deps()
    ]
  end

  def application do
    [mod: {Acme.Application, [{:not, "a dependency"}]}]
  end

  defp deps do
    [
      {:phoenix, "~> 1.7"},
      {:fork, git: "https://example.com/fork.git", only: [:dev, :test]},
      {:credo, ">= 0.0.0", only: :dev, runtime: false},
      {:core, in_umbrella: true}
    ] ++ other()
  end
end
"""

PUBSPEC = """\
name: acme
version: 1.0.0
dependencies:
  http: ^1.2.0
  flutter:
    sdk: flutter
  local:
    path: ../local
dev_dependencies:
  test: any
workspace:
  - packages/a
executables:
  acme:
  other: main
"""

SWIFT = """\
// swift-tools-version:5.9
import PackageDescription

let package = Package(
    name: "Acme",
    products: [.executable(name: "acme", targets: ["CLI"])],
    dependencies: [
        .package(url: "https://github.com/apple/swift-log.git", from: "1.5.0"),
        .package(url: "https://example.com/x", .upToNextMajor(from: "2.0.0")),
        .package(path: "../Local"),
    ],
    targets: [
        .executableTarget(name: "CLI", dependencies: [.product(name: "Logging", package: "swift-log")]),
    ]
)
"""

CASES: dict[str, tuple[str, Expected]] = {
    "uv/pyproject.toml": (
        UV,
        [
            ("manifest", "pyproject.toml", "root", 1),
            ("workspace", "packages/*", "uv workspace", 5),
            ("workspace", "apps/web", "uv workspace", 6),
            ("workspace", "packages/old", "uv workspace (excluded)", 8),
            ("dependency", "mypy", ">=1 (group dev)", 10),
            ("dependency", "mkdocs", "~=1.6 (environment docs)", 13),
            ("workspace", "libs/a", "hatch workspace", 16),
            ("workspace", "libs/b", "hatch workspace", 16),
            ("dependency", "pytest", "(group test)", 18),
        ],
    ),
    "poetry/pyproject.toml": (
        POETRY_PLUGINS,
        [
            ("manifest", "pyproject.toml", "p", 1),
            ("dependency", "foo", "<=1.9, ^2.0", 4),
            ("dependency", "bar", "https://example.com/bar.git", 8),
            ("entry_point", "plain", "console script: p:main", 10),
            ("entry_point", "table", "console script: p.table:main", 11),
            ("entry_point", "h", "plugin of acme.handlers: p.handlers:H", 13),
        ],
    ),
    "groups/pyproject.toml": (
        ENTRY_POINT_GROUPS,
        [
            ("manifest", "pyproject.toml", "p", 1),
            ("entry_point", "p-gui", "gui script: p.gui:run", 4),
            ("entry_point", "p-old", "console script: p:old", 6),
            ("entry_point", "plug", "plugin of pytest11: p.plug", 8),
        ],
    ),
    "Pipfile": (
        PIPFILE,
        [
            ("manifest", "Pipfile", "", 1),
            ("dependency", "requests", "*", 6),
            ("dependency", "django", ">=4", 7),
            ("dependency", "pytest", "~=8.0 (dev)", 10),
        ],
    ),
    "setup.py": (
        SETUP_PY,
        [
            ("dependency", "requests", ">=2", 4),
            ("dependency", "attrs", '; python_version < "3.12"', 5),
            ("dependency", "pytest", "(extra test)", 7),
            ("manifest", "setup.py", "acme 1.4", 10),
            ("dependency", "click", "", 14),
            ("dependency", "sphinx", "<8 (extra docs)", 16),
            ("entry_point", "acme", "console script: acme.cli:main", 21),
            ("entry_point", "one", "plugin of acme.plugins: acme.one:One", 23),
            ("entry_point", "acme-old", "script: bin/acme-old", 25),
        ],
    ),
    "text/setup.py": (
        SETUP_PY_TEXT,
        [
            ("manifest", "setup.py", "b", 2),
            ("entry_point", "b", "console script: b:main", 7),
            ("entry_point", "x", "plugin of b.plugins: b.x:X", 9),
        ],
    ),
    "setup.cfg": (
        SETUP_CFG,
        [
            ("manifest", "setup.cfg", "acme", 1),
            ("dependency", "wheel", "(build)", 4),
            ("dependency", "requests", ">=2", 7),
            ("dependency", "attrs", "", 9),
            ("entry_point", "acme-gui", "gui script: acme.gui:main", 12),
            ("entry_point", "one", "plugin of acme.plugins: acme.one:One", 14),
        ],
    ),
    "package.json": (
        NPM_WORKSPACE,
        [
            ("manifest", "package.json", "mono", 1),
            ("workspace", "packages/*", "npm workspace", 6),
            ("workspace", "apps/site", "npm workspace", 7),
            ("entry_point", ".", "package export: ./index.mjs", 12),
            ("entry_point", "./feature", "package export: ./feature.js", 17),
        ],
    ),
    "pnpm-workspace.yaml": (
        PNPM,
        [
            ("manifest", "pnpm-workspace.yaml", "pnpm workspace", 1),
            ("workspace", "packages/*", "pnpm workspace", 2),
            ("workspace", "apps/*", "pnpm workspace", 3),
            ("workspace", "**/test/**", "pnpm workspace (excluded)", 4),
            ("dependency", "react", "^18.3.1 (catalog)", 6),
            ("dependency", "react", "^17.0.2 (catalog legacy)", 9),
        ],
    ),
    "composer.json": (
        COMPOSER,
        [
            ("manifest", "composer.json", "acme/mono", 1),
            ("workspace", "packages/*", "composer path repository", 3),
            ("entry_point", "a", "bin: bin/a", 6),
            ("entry_point", "b", "bin: bin/b", 7),
        ],
    ),
    "go.work": (
        GO_WORK,
        [
            ("manifest", "go.work", "Go workspace (go 1.22.1)", 1),
            ("workspace", "./api", "go.work use", 4),
            ("workspace", "./lib", "go.work use", 5),
            ("workspace", "./tools", "go.work use", 8),
        ],
    ),
    "newer/go.mod": (
        GO_MOD_NEWER,
        [
            ("manifest", "go.mod", "example.com/quoted (go 1.24)", 1),
            ("dependency", "example.com/a", "v1.0.0 (indirect)", 7),
            ("dependency", "example.com/b", "v1.2.3-0.20240101000000-abcdef012345", 8),
        ],
    ),
    "Cargo.toml": (
        CARGO_WORKSPACE,
        [
            ("manifest", "Cargo.toml", "workspace", 1),
            ("workspace", "crates/*", "cargo workspace", 4),
            ("workspace", "xtask", "cargo workspace", 5),
            ("workspace", "fuzz", "cargo workspace (excluded)", 7),
            ("dependency", "serde", "1 (workspace)", 10),
            ("entry_point", "one", "binary", 13),
            ("entry_point", "two", "binary: src/two.rs", 16),
        ],
    ),
    "member/Cargo.toml": (
        CARGO_MEMBER,
        [
            ("manifest", "Cargo.toml", "member", 1),
            ("dependency", "serde", "workspace", 3),
            ("dependency", "extra", "2 (optional)", 4),
            ("dependency", "cc", "1 (build)", 6),
        ],
    ),
    "pom.xml": (
        POM_MODULES,
        [
            ("manifest", "pom.xml", "g:all 1", 1),
            ("workspace", "core", "maven module", 4),
            ("workspace", "web", "maven module", 5),
            ("workspace", "extra", "maven module", 8),
            ("entry_point", "org.acme.Main", "maven main class", 13),
        ],
    ),
    "build.gradle": (
        GRADLE_GROOVY,
        [
            ("manifest", "build.gradle", "Gradle build", 1),
            ("dependency", "com.android.tools.build:gradle", "8.1.0 (classpath)", 3),
            ("entry_point", "org.acme.Main", "gradle main class", 6),
            ("dependency", "a:b", "1 (implementation)", 8),
            ("dependency", "c:d", "2 (implementation)", 8),
            ("dependency", "e:f", "$fVersion (implementation)", 9),
            ("dependency", "g:n", "3 (api)", 13),
            ("dependency", "g:m", "(api)", 13),
            ("dependency", "h:i", "4 (runtimeOnly)", 18),
            ("dependency", "j:k", "5 (constraint, implementation)", 21),
            ("dependency", ":core", "project (implementation)", 23),
            ("dependency", "libs.junit.bom", "(testImplementation)", 24),
        ],
    ),
    "build.gradle.kts": (
        GRADLE_KOTLIN,
        [
            ("manifest", "build.gradle.kts", "Gradle build", 1),
            ("entry_point", "org.acme.MainKt", "gradle main class", 2),
            ("dependency", "a:b", "${bVersion} (implementation)", 7),
            ("dependency", "org.jetbrains.kotlin:kotlin-stdlib", "(implementation)", 12),
            ("dependency", "c:d", "2 (ksp)", 13),
            ("dependency", "e:f", "3 (custom)", 14),
            ("dependency", "projects.core", "project (implementation)", 15),
            ("dependency", "g:n", "4 (compileOnly)", 16),
            ("dependency", "h:i", "5 (constraint, api)", 17),
        ],
    ),
    "settings.gradle": (
        SETTINGS_GROOVY,
        [
            ("manifest", "settings.gradle", "Gradle settings (acme)", 1),
            ("workspace", ":core", "gradle include", 2),
            ("workspace", ":web", "gradle include", 2),
            ("workspace", "a", "gradle include", 3),
            ("workspace", "b:c", "gradle include", 5),
            ("workspace", "tools:gen", "gradle include", 6),
            ("workspace", "../shared", "gradle included build", 7),
        ],
    ),
    "settings.gradle.kts": (
        SETTINGS_KOTLIN,
        [
            ("manifest", "settings.gradle.kts", "Gradle settings (acme)", 1),
            ("workspace", "build-logic", "gradle included build", 1),
            ("workspace", ":core", "gradle include", 4),
            ("workspace", ":web", "gradle include", 5),
        ],
    ),
    "gradle/libs.versions.toml": (
        CATALOG,
        [
            ("manifest", "libs.versions.toml", "Gradle version catalog", 1),
            ("dependency", "com.squareup.okhttp3:okhttp", "4.12.0 (libs.okhttp)", 5),
            ("dependency", "org.jetbrains.kotlin:kotlin-stdlib", "2.0.0 (libs.kotlin.stdlib)", 6),
            ("dependency", "org.junit.jupiter:junit-jupiter-api", "5.10 (libs.junit.api)", 7),
            ("dependency", "com.google.devtools.ksp", "2.0.0-1.0.21 (libs.plugins.ksp)", 9),
        ],
    ),
    "acme.gemspec": (
        GEMSPEC,
        [
            ("manifest", "acme.gemspec", "acme", 4),
            ("entry_point", "acme", "gem executable", 7),
            ("entry_point", "acme-server", "gem executable", 7),
            ("dependency", "rack", ">= 2, < 4", 8),
            ("dependency", "thor", "~> 1.0", 9),
            ("dependency", "rspec", "~> 3 (dev)", 10),
        ],
    ),
    "Gemfile": (
        GEMFILE,
        [
            ("manifest", "Gemfile", "", 1),
            ("dependency", "sqlite3", "(test)", 5),
            ("dependency", "local", "../local", 8),
            ("dependency", "forked", "https://example.com/forked.git (a, b)", 9),
        ],
    ),
    "Directory.Packages.props": (
        PROPS,
        [
            ("manifest", "Directory.Packages.props", "", 1),
            ("dependency", "Serilog", "3.1.1 (central)", 3),
            ("dependency", "Nerdbank", "3.6 (global)", 4),
        ],
    ),
    "src/Tool.csproj": (
        TOOL_PROJECT,
        [
            ("manifest", "Tool.csproj", "Microsoft.NET.Sdk net8.0", 1),
            ("entry_point", "acme", "dotnet tool", 4),
            ("dependency", "Inner", "2.0", 7),
        ],
    ),
    "packages.config": (
        PACKAGES_CONFIG,
        [("manifest", "packages.config", "", 1), ("dependency", "NUnit", "3.0 (dev)", 3)],
    ),
    "Acme.sln": (
        SOLUTION,
        [
            ("manifest", "Acme.sln", "solution", 1),
            ("workspace", "src\\App\\App.csproj", "solution project App", 3),
        ],
    ),
    "Acme.slnx": (
        SLNX,
        [
            ("manifest", "Acme.slnx", "solution", 1),
            ("workspace", "src/App/App.csproj", "solution project", 3),
        ],
    ),
    "mix.exs": (
        MIX,
        [
            ("manifest", "mix.exs", "acme 0.3.0", 1),
            ("workspace", "apps", "mix umbrella apps_path", 8),
            ("entry_point", "Acme.CLI", "escript main_module", 9),
            ("entry_point", "Acme.Application", "application callback module", 15),
            ("dependency", "phoenix", "~> 1.7", 20),
            ("dependency", "fork", "https://example.com/fork.git (dev, test)", 21),
            ("dependency", "credo", ">= 0.0.0 (dev)", 22),
            ("dependency", "core", "in umbrella", 23),
        ],
    ),
    "pubspec.yaml": (
        PUBSPEC,
        [
            ("manifest", "pubspec.yaml", "acme 1.0.0", 1),
            ("dependency", "http", "^1.2.0", 4),
            ("dependency", "flutter", "sdk flutter", 5),
            ("dependency", "local", "../local", 7),
            ("dependency", "test", "any (dev)", 10),
            ("workspace", "packages/a", "pub workspace", 12),
            ("entry_point", "acme", "executable: bin/acme.dart", 14),
            ("entry_point", "other", "executable: bin/main.dart", 15),
        ],
    ),
    "Package.swift": (
        SWIFT,
        [
            ("manifest", "Package.swift", "Acme", 4),
            ("entry_point", "acme", "executable product", 6),
            ("dependency", "https://github.com/apple/swift-log", "from: 1.5.0", 8),
            ("dependency", "https://example.com/x", ".upToNextMajor(from: 2.0.0)", 9),
            ("dependency", "../Local", "(path)", 10),
            ("entry_point", "CLI", "executable target", 13),
        ],
    ),
}


def entries(path: str, text: str) -> Expected:
    return [(e.kind, e.name, e.detail, e.line) for e in map_document(path, "", text)]


@pytest.mark.parametrize("path", CASES)
def test_every_entry_stands_on_its_line(path: str) -> None:
    text, expected = CASES[path]
    assert entries(path, text) == expected


@pytest.mark.parametrize("path", CASES)
def test_e3_e4_a_byte_order_mark_and_other_line_ends_change_nothing(path: str) -> None:
    text, expected = CASES[path]
    assert entries(path, "\ufeff" + text.replace("\n", "\r\n")) == expected


BROKEN = {
    "Pipfile": ("[packages\n", "could not be parsed (line 1)", 1),
    "pnpm-workspace.yaml": ("packages:\n  - 'a\nb: [", "could not be parsed (line 3)", 3),
    "go.mod": ("require (\n", "could not be parsed", 1),
    "libs.versions.toml": ("[libraries]\na = \n", "could not be parsed (line 2)", 2),
    "acme.gemspec": ("puts 1\n", "could not be parsed", 1),
    "Acme.sln": ("nothing\n", "could not be parsed (line 1)", 1),
    "mix.exs": ("IO.puts 1\n", "could not be parsed", 1),
    "pubspec.yaml": ("a: b: c\n", "could not be parsed (line 1)", 1),
    "Package.swift": ("let x = 1\n", "could not be parsed", 1),
    "Directory.Packages.props": ("<Project>\n<ItemGroup>\n", "could not be parsed (line 3)", 3),
}


@pytest.mark.parametrize("path", BROKEN)
def test_broken_manifest_is_one_entry_that_says_so(path: str) -> None:
    text, detail, line = BROKEN[path]
    assert entries(path, text) == [("manifest", path, detail, line)]


def test_e7_a_syntax_error_costs_only_its_own_line_where_a_syntax_tree_is_read() -> None:
    found = entries("Gemfile", 'gem "rails"\ngem "broken\ngem "puma"\n')
    assert ("dependency", "rails", "", 1) in found
    found = entries("build.gradle", "dependencies {\n  implementation 'a:b:1'\n  } } ((\n")
    assert ("dependency", "a:b", "1 (implementation)", 2) in found


def test_bomb_of_aliases_costs_what_its_text_costs() -> None:
    levels = "".join(f"l{n + 1}: &l{n + 1} {{a: *l{n}, b: *l{n}, <<: [*l{n}, *l{n}]}}\n" for n in range(40))
    text = f"name: p\nl0: &l0 {{x: y}}\n{levels}dependencies: *l40\n"
    found = entries("pubspec.yaml", text)
    assert found[0] == ("manifest", "pubspec.yaml", "p", 1)
    assert {name for kind, name, _, _ in found if kind == "dependency"} == {"a", "b", "x"}


def test_e6_deep_yaml_is_refused_and_not_followed() -> None:
    assert entries("pubspec.yaml", "a: " + "[" * 100_000)[0][2].startswith("could not be parsed")
    assert entries("pubspec.yaml", "- " * 100_000)[0][2].startswith("could not be parsed")


@pytest.mark.parametrize("path", ["pip.py", "Pipfile.lock", "go.sum", "gradle.xml", "x.versions.txt"])
def test_neighbours_of_manifests_are_left_alone(path: str) -> None:
    assert entries(path, UV) == []
