"""Files that say what is started: containers, compose and serverless services, process lists, units."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from brain_dagster.codemap.base import MapEntry, MappedFile, tidy
from brain_dagster.codemap.manifests.yaml_tree import YamlNode, load_yaml
from brain_dagster.codemap.routes.cloud_events import sam_events, serverless_events
from brain_dagster.codemap.syntax import SyntaxTree

_LAMBDAS = {"AWS::Serverless::Function", "AWS::Lambda::Function"}
_COMMANDS = {"cmd_instruction": "CMD", "entrypoint_instruction": "ENTRYPOINT"}


def read_dockerfile(file: MappedFile) -> Iterator[MapEntry]:
    """Read every CMD and ENTRYPOINT, of a named stage with its name; a health check's own starts nothing."""
    tree = SyntaxTree("dockerfile", file)
    stage = ""
    for instruction in tree.root.named_children:
        file.deadline.check()
        if instruction.type == "from_instruction":
            stage = tree.field_text(instruction, "as")
        elif instruction.type in _COMMANDS and instruction.named_children:
            said = " ".join(_words(tree, instruction.named_children[0]))
            exec_form = instruction.named_children[0].type == "json_string_array"
            detail = f"[{said}]" if exec_form else said
            where = f" (stage {stage})" if stage else ""
            name, line = _COMMANDS[instruction.type], tree.line(instruction)
            yield MapEntry("entry_point", name, tidy(detail + where), line)


def _words(tree: SyntaxTree, node: Node) -> Iterator[str]:
    """Yield the words of a command without the ends of its lines and the comments between them."""
    parts = [child for child in node.named_children if child.type not in ("line_continuation", "comment")]
    if node.type == "json_string_array":
        yield ", ".join(map(tree.text, parts))
        return
    yield from (tree.text(part).strip() for part in parts)


def read_procfile(file: MappedFile) -> Iterator[MapEntry]:
    """Read the process types of a Procfile: a name, a colon, a command."""
    for number, line in file.numbered_lines():
        name, colon, command = line.partition(":")
        is_name = name.replace("-", "").replace("_", "").isalnum() and name.isascii()
        if colon and is_name and command.strip():
            yield MapEntry("entry_point", name, command.strip(), number)


def read_compose(file: MappedFile) -> Iterator[MapEntry]:
    """Read the services of a compose file that say themselves what they start."""
    services = load_yaml(file).at("services") or YamlNode(1)
    for name, line, service in services.entries():
        file.deadline.check()
        said = [" ".join(text for text, _ in (service.at(key) or YamlNode(1)).strings())
                for key in ("entrypoint", "command")]  # fmt: skip
        command = " ".join(filter(None, said))
        if command:
            yield MapEntry("entry_point", name, f"compose service: {command}", line)


def read_serverless(file: MappedFile) -> Iterator[MapEntry]:
    """Read the functions of a serverless.yml."""
    for name, line, function in (load_yaml(file).at("functions") or YamlNode(1)).entries():
        handler = function.at("handler") or function.at("image")
        if handler is not None and handler.text:
            yield MapEntry("entry_point", name, f"serverless function: {handler.text}", line)
            yield from serverless_events(function, handler.text)


def read_cloud_template(file: MappedFile) -> Iterator[MapEntry]:
    """Read the functions of a CloudFormation or SAM template."""
    for name, line, resource in (load_yaml(file).at("Resources") or YamlNode(1)).entries():
        kind, handler = resource.at("Type"), resource.at("Properties", "Handler")
        if kind is not None and kind.text in _LAMBDAS and handler is not None and handler.text:
            yield MapEntry("entry_point", name, f"lambda function: {handler.text}", line)
            yield from sam_events(resource.at("Properties") or YamlNode(1), handler.text)


def read_unit(file: MappedFile) -> Iterator[MapEntry]:
    """Read the commands of a systemd service: its ExecStart lines, continued ones joined."""
    section, start, pending = "", 1, ""
    for number, line in file.numbered_lines():
        text = line.strip()
        if text.startswith(("#", ";")):
            continue
        start = start if pending else number
        if text.endswith("\\"):
            pending += text[:-1].strip() + " "
            continue
        text, pending = (pending + text).strip(), ""
        if text.startswith("["):
            section = text
        key, equals, command = text.partition("=")
        if section == "[Service]" and equals and key.strip() == "ExecStart" and command.strip():
            yield MapEntry("entry_point", file.name, f"systemd unit: {command.strip()}", start)
