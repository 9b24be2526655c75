"""Manifests: every kind, with the line of each dependency; a broken one says so and invents nothing."""

from __future__ import annotations

import pytest

from brain_dagster.codemap.mapping import map_document

Expected = list[tuple[str, str, str, int]]

PYPROJECT = """\
[build-system]
requires = ["setuptools>=77"]

[project]
name = "acme"
version = "1.2"
dependencies = [
    "httpx>=0.27",
    "uvicorn[standard]; sys_platform != 'win32'",
    "local @ https://example.com/local.whl",
]

[project.optional-dependencies]
dev = ["pytest"]

[dependency-groups]
lint = ["ruff==0.5.0", {include-group = "dev"}]

[project.scripts]
acme = "acme.cli:main"

[project.entry-points."pytest11"]
acme_plugin = "acme.plugin"
"""

POETRY = """\
[tool.poetry]
name = "p"
version = "0.1"
[tool.poetry.dependencies]
python = "^3.11"
requests = { version = "^2.0", extras = ["socks"] }
[tool.poetry.dependencies.local]
path = "../local"
[tool.poetry.group.test.dependencies]
pytest = "^8"
[tool.poetry.scripts]
p = "p:main"
"""

SETUP_CFG = """\
[metadata]
name = acme
version = 0.3
[options]
install_requires =
    requests>=2
    attrs; python_version < "3.12"
[options.extras_require]
docs =
    sphinx<8
[options.entry_points]
console_scripts =
    acme = acme:main
"""

REQUIREMENTS = """\
# pinned by hand
-r base.txt
requests==2.31.0 \\
    --hash=sha256:abc
-e git+https://example.com/why.git#egg=why
flask >= 2 ; python_version < "3.12"  # web
./local-thing
=broken
"""

PACKAGE = """\
{
  "name": "@acme/web", "version": "2.0.0",
  "main": "./index.js",
  "bin": {"acme": "./cli.js"},
  "scripts": {
    "react": "a script, not a dependency",
    "start": "node server.js"
  },
  "dependencies": {
    "react": "^18"
  },
  "devDependencies": {"jest": "*"},
  "peerDependencies": {
    "vue": "3" }
}
"""

COMPOSER = """\
{
  "name": "acme/shop",
  "require": {"php": ">=8.1",
    "laravel/framework": "^11"},
  "require-dev": {"phpunit/phpunit": "^11"},
  "bin": ["bin/shop"]
}
"""

GO_MOD = """\
// the module
module example.com/a

go 1.22

require github.com/gin-gonic/gin v1.9.1
require (
\tgithub.com/x/y v0.1.0 // indirect
\texample.org/w v2.0.0+incompatible
)
replace example.org/w => ../w
exclude (
\texample.org/never v1.0.0
)
"""

CARGO = """\
[package]
name = "tool"
version = "0.1.0"
[dependencies]
serde = { version = "1", features = ["derive"] }
log = "0.4"
renamed = { package = "real", git = "https://example.com/real" }
[dev-dependencies]
tempfile = "3"
[target.'cfg(unix)'.dependencies]
nix = "0.29"
[dependencies.tokio]
version = "1.38"
[[bin]]
name = "tool-cli"
path = "src/cli.rs"
"""

POM = """\
<?xml version="1.0" encoding="UTF-8"?>
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <parent><groupId>org.acme</groupId><artifactId>all</artifactId><version>3</version></parent>
  <artifactId>app</artifactId>
  <dependencyManagement><dependencies>
    <dependency><groupId>g</groupId><artifactId>bom</artifactId><version>1</version></dependency>
  </dependencies></dependencyManagement>
  <dependencies>
    <dependency>
      <groupId>org.junit</groupId>
      <artifactId>junit</artifactId>
      <version>${junit.version}</version>
      <scope>test</scope>
      <exclusions><exclusion><groupId>no</groupId><artifactId>no</artifactId></exclusion></exclusions>
    </dependency>
    <dependency><groupId>com.x</groupId><artifactId>y</artifactId><scope>compile</scope></dependency>
  </dependencies>
</project>
"""

GRADLE_KOTLIN = """\
plugins { kotlin("jvm") version "2.0" }
dependencies {
    implementation("com.squareup.okhttp3:okhttp:4.12.0")
    testImplementation(project(":core"))
    api(libs.guava)
    implementation(platform("org.x:bom:1.0"))
    // implementation("commented:out:1")
    runtimeOnly("a:b") { exclude(group = "c") }
}
println("not:a:dependency")
"""

GRADLE_GROOVY = """\
dependencies {
  compileOnly 'org.projectlombok:lombok:1.18.30'
  implementation group: 'commons-io', name: 'commons-io', version: '2.15.1'
}
"""

GEMFILE = """\
source "https://rubygems.org"
gem "rails", "~> 7.1", ">= 7.1.2"
group :development, :test do
  gem 'rspec-rails'
end
gem "puma", group: :production
# gem "commented"
"""

CSPROJ = """\
<Project Sdk="Microsoft.NET.Sdk.Web">
  <PropertyGroup><TargetFramework>net8.0</TargetFramework></PropertyGroup>
  <ItemGroup>
    <PackageReference Include="Serilog" Version="3.1.1" />
    <PackageReference Include="Dapper">
      <Version>2.1.0</Version>
    </PackageReference>
    <ProjectReference Include="..\\Core\\Core.csproj" />
  </ItemGroup>
</Project>
"""

MANIFESTS: dict[str, tuple[str, Expected]] = {
    "pyproject.toml": (
        PYPROJECT,
        [
            ("manifest", "pyproject.toml", "acme 1.2", 1),
            ("dependency", "setuptools", ">=77 (build)", 2),
            ("dependency", "httpx", ">=0.27", 8),
            ("dependency", "uvicorn", '[standard]; sys_platform != "win32"', 9),
            ("dependency", "local", "https://example.com/local.whl", 10),
            ("dependency", "pytest", "(extra dev)", 14),
            ("dependency", "ruff", "==0.5.0 (group lint)", 17),
            ("entry_point", "acme", "console script: acme.cli:main", 20),
            ("entry_point", "acme_plugin", "plugin of pytest11: acme.plugin", 23),
        ],
    ),
    "packages/p/pyproject.toml": (
        POETRY,
        [
            ("manifest", "pyproject.toml", "p 0.1", 1),
            ("dependency", "python", "^3.11", 5),
            ("dependency", "requests", "^2.0", 6),
            ("dependency", "local", "../local", 7),
            ("dependency", "pytest", "^8 (group test)", 10),
            ("entry_point", "p", "console script: p:main", 12),
        ],
    ),
    "setup.cfg": (
        SETUP_CFG,
        [
            ("manifest", "setup.cfg", "acme 0.3", 1),
            ("dependency", "requests", ">=2", 6),
            ("dependency", "attrs", '; python_version < "3.12"', 7),
            ("dependency", "sphinx", "<8 (extra docs)", 10),
            ("entry_point", "acme", "console script: acme:main", 13),
        ],
    ),
    "requirements/dev.txt": (
        REQUIREMENTS,
        [
            ("manifest", "dev.txt", "1 line could not be parsed", 1),
            ("dependency", "requests", "==2.31.0", 3),
            ("dependency", "why", "git+https://example.com/why.git", 5),
            ("dependency", "flask", '>=2; python_version < "3.12"', 6),
            ("dependency", "./local-thing", "(path)", 7),
        ],
    ),
    "package.json": (
        PACKAGE,
        [
            ("manifest", "package.json", "@acme/web 2.0.0", 1),
            ("entry_point", "./index.js", "package main", 3),
            ("entry_point", "acme", "bin: ./cli.js", 4),
            ("entry_point", "npm start", "node server.js", 7),
            ("dependency", "react", "^18", 10),
            ("dependency", "jest", "* (dev)", 12),
            ("dependency", "vue", "3 (peer)", 14),
        ],
    ),
    "composer.json": (
        COMPOSER,
        [
            ("manifest", "composer.json", "acme/shop", 1),
            ("dependency", "php", ">=8.1", 3),
            ("dependency", "laravel/framework", "^11", 4),
            ("dependency", "phpunit/phpunit", "^11 (dev)", 5),
            ("entry_point", "shop", "bin: bin/shop", 6),
        ],
    ),
    "go.mod": (
        GO_MOD,
        [
            ("manifest", "go.mod", "example.com/a (go 1.22)", 2),
            ("dependency", "github.com/gin-gonic/gin", "v1.9.1", 6),
            ("dependency", "github.com/x/y", "v0.1.0 (indirect)", 8),
            ("dependency", "example.org/w", "v2.0.0+incompatible", 9),
        ],
    ),
    "Cargo.toml": (
        CARGO,
        [
            ("manifest", "Cargo.toml", "tool 0.1.0", 1),
            ("dependency", "serde", "1", 5),
            ("dependency", "log", "0.4", 6),
            ("dependency", "real", "https://example.com/real", 7),
            ("dependency", "tempfile", "3 (dev)", 9),
            ("dependency", "nix", "0.29 (cfg(unix))", 11),
            ("dependency", "tokio", "1.38", 12),
            ("entry_point", "tool-cli", "binary: src/cli.rs", 15),
        ],
    ),
    "pom.xml": (
        POM,
        [
            ("manifest", "pom.xml", "org.acme:app 3", 1),
            ("dependency", "g:bom", "1 (managed)", 6),
            ("dependency", "org.junit:junit", "${junit.version} (test)", 9),
            ("dependency", "com.x:y", "", 16),
        ],
    ),
    "build.gradle.kts": (
        GRADLE_KOTLIN,
        [
            ("manifest", "build.gradle.kts", "Gradle build", 1),
            ("dependency", "com.squareup.okhttp3:okhttp", "4.12.0 (implementation)", 3),
            ("dependency", ":core", "project (testImplementation)", 4),
            ("dependency", "libs.guava", "(api)", 5),
            ("dependency", "org.x:bom", "1.0 (implementation)", 6),
            ("dependency", "a:b", "(runtimeOnly)", 8),
        ],
    ),
    "app/build.gradle": (
        GRADLE_GROOVY,
        [
            ("manifest", "build.gradle", "Gradle build", 1),
            ("dependency", "org.projectlombok:lombok", "1.18.30 (compileOnly)", 2),
            ("dependency", "commons-io:commons-io", "2.15.1 (implementation)", 3),
        ],
    ),
    "Gemfile": (
        GEMFILE,
        [
            ("manifest", "Gemfile", "", 1),
            ("dependency", "rails", "~> 7.1, >= 7.1.2", 2),
            ("dependency", "rspec-rails", "(development, test)", 4),
            ("dependency", "puma", "(production)", 6),
        ],
    ),
    "src/App.csproj": (
        CSPROJ,
        [
            ("manifest", "App.csproj", "Microsoft.NET.Sdk.Web net8.0", 1),
            ("dependency", "Serilog", "3.1.1", 4),
            ("dependency", "Dapper", "2.1.0", 5),
            ("dependency", "..\\Core\\Core.csproj", "(project)", 8),
        ],
    ),
}


def entries(path: str, text: str) -> Expected:
    return [(e.kind, e.name, e.detail, e.line) for e in map_document(path, "", text)]


@pytest.mark.parametrize("path", MANIFESTS)
def test_manifest_gives_its_dependencies_with_their_lines(path: str) -> None:
    text, expected = MANIFESTS[path]
    assert entries(path, text) == expected


@pytest.mark.parametrize("path", MANIFESTS)
def test_e4_crlf_twins_have_the_same_lines(path: str) -> None:
    text, expected = MANIFESTS[path]
    assert entries(path, text.replace("\n", "\r\n")) == expected


BROKEN = {
    "pyproject.toml": ("[project]\nname = 'a'\ndependencies = [", "could not be parsed", 1),
    "Cargo.toml": ("[package]\nname = = 1", "could not be parsed (line 2)", 2),
    "setup.cfg": ("no section\n", "could not be parsed (line 1)", 1),
    "package.json": ('{"dependencies": {"a": "1"},\n "b": }', "could not be parsed (line 2)", 2),
    "composer.json": ('["a list"]', "could not be parsed (line 1)", 1),
    "go.mod": ("require example.org/x v1.0.0\n", "could not be parsed", 1),
    "pom.xml": ("<project>\n<dependencies>", "could not be parsed (line 2)", 2),
    "x.csproj": ("<Other/>", "could not be parsed (line 1)", 1),
}


@pytest.mark.parametrize("path", BROKEN)
def test_broken_manifest_says_so_and_invents_nothing(path: str) -> None:
    text, detail, line = BROKEN[path]
    assert entries(path, text) == [("manifest", path, detail, line)]


def test_deeply_nested_json_is_refused_and_not_followed() -> None:
    assert entries("package.json", "[" * 200_000) == [("manifest", "package.json", "could not be parsed", 1)]


def test_xml_with_entities_is_refused_before_they_grow() -> None:
    bomb = '<!DOCTYPE p [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;">]>\n<project>&b;</project>'
    assert entries("pom.xml", bomb) == [("manifest", "pom.xml", "could not be parsed (line 1)", 1)]


def test_setup_cfg_that_only_configures_tools_is_no_manifest() -> None:
    assert entries("setup.cfg", "[flake8]\nmax-line-length = 100\n") == []


@pytest.mark.parametrize(
    "path", ["requirements.txt", "requirements-dev.txt", "test-requirements.txt", "a/requirements.in"]
)
def test_requirements_files_are_known_by_their_many_names(path: str) -> None:
    assert ("dependency", "httpx", "", 1) in entries(path, "httpx\n")


@pytest.mark.parametrize("path", ["my-package.json", "package-lock.json", "Cargo.lock", "requirements.md"])
def test_files_that_only_look_like_manifests_are_left_alone(path: str) -> None:
    assert entries(path, PACKAGE) == []


def test_values_of_the_wrong_type_are_skipped_and_not_shown() -> None:
    text = '{"name": ["x"], "version": 3, "dependencies": ["a"], "bin": 7, "scripts": {"start": {}}}'
    assert entries("package.json", text) == [("manifest", "package.json", "3", 1)]
