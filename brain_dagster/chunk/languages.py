"""What the chunker knows about each programming language: a table of node kinds, no code.

A row names the kinds of the language's tree-sitter grammar that matter. To add a language, add a row.

Places inside a node are written as paths: steps joined by `/`. A step is the name of a field, or kinds of
a child after `>`, or kinds of a descendant after `@` (the first in reading order, the node itself included).
`|` separates alternatives.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from brain_dagster.chunk.filenames import language_of

__all__ = ["LANGUAGES", "Language", "language_of"]


def _kinds(words: str) -> frozenset[str]:
    return frozenset(words.split())


@dataclass(frozen=True)
class Language:
    """How to read the syntax tree of one language.

    grammar      name of the grammar in tree_sitter_language_pack
    units        functions, methods, types: a chunk each
    containers   classes and the like: one chunk if they fit, else a header and their members
    namespaces   containers whose members count as top-level
    values       constants and variables: named at the top level, part of their container elsewhere
    only_with    kind -> path = kinds: the kind is a unit or container only when the node at that path is
                 of one of those kinds; otherwise it is a value if listed there, else mere code
    wrappers     kind -> path to the declaration inside, if there is one (decorators, `export`, templates)
    transparent  statements that may hold declarations; read as if these stood in their place
    imports      kind -> pattern over the statement's text; where it is found, the statement is an import,
                 and the group is the module's name
    names        kind -> path of the name, by default the field `name`; several paths, each after a space,
                 are joined by dots; after `=` stands a name that is always the same
    bodies       kind -> path of the body, by default the field `body`
    attributes   siblings that belong to the declaration after them, whatever lies between
    title        pattern over the first 4 kB of the text; its group is the title
    fallback     language to try when this one's grammar meets errors
    """

    grammar: str
    units: frozenset[str]
    containers: frozenset[str] = frozenset()
    namespaces: frozenset[str] = frozenset()
    values: frozenset[str] = frozenset()
    only_with: Mapping[str, str] = field(default_factory=dict)
    wrappers: Mapping[str, str] = field(default_factory=dict)
    transparent: frozenset[str] = frozenset()
    imports: Mapping[str, str] = field(default_factory=dict)
    names: Mapping[str, str] = field(default_factory=dict)
    bodies: Mapping[str, str] = field(default_factory=dict)
    attributes: frozenset[str] = frozenset()
    comments: frozenset[str] = _kinds("comment")
    title: str = ""
    fallback: str = ""


PYTHON = Language(
    grammar="python",
    units=_kinds("function_definition"),
    containers=_kinds("class_definition"),
    values=_kinds("assignment type_alias_statement"),
    wrappers={"decorated_definition": "definition", "expression_statement": ">assignment"},
    transparent=_kinds(
        "if_statement else_clause elif_clause try_statement except_clause finally_clause with_statement block"
    ),
    imports={
        "import_statement": r"(?:^import|,)\s+([\w.]+)",
        "import_from_statement": r"^from\s+(\.*[\w.]*)",
        "future_import_statement": r"^from()",
    },
    names={"assignment": "left", "type_alias_statement": "left/@identifier"},
    title=r"\A(?:[ \t]*(?:#[^\r\n]*)?(?:\r\n|\n|\r))*"
    r"[rRuU]?(?:\"\"\"|'''|\"|')\s*(.*?)(?:\"\"\"|'''|[\r\n]|\Z)",
)

_FUNCTIONS = "arrow_function function_expression generator_function class object"
_REQUIRE = r"^(?:const|let|var)\s[^;(]*?=\s*require\(\s*['\"`]([^'\"`]+)"

JAVASCRIPT = Language(
    grammar="javascript",
    units=_kinds(
        "function_declaration generator_function_declaration method_definition function_expression "
        "arrow_function"
    ),
    containers=_kinds("class_declaration class"),
    values=_kinds("lexical_declaration variable_declaration"),
    only_with={
        "lexical_declaration": f"@variable_declarator/value = {_FUNCTIONS}",
        "variable_declaration": f"@variable_declarator/value = {_FUNCTIONS}",
        "assignment_expression": f"right = {_FUNCTIONS}",
        "field_definition": "value = arrow_function function_expression",
        "pair": "value = arrow_function function_expression",
    },
    wrappers={"export_statement": "declaration|value", "expression_statement": ">assignment_expression"},
    transparent=_kinds("if_statement else_clause statement_block try_statement"),
    imports={
        "import_statement": r"['\"]([^'\"]+)['\"]\s*(?:;|with\b|assert\b|$)",
        "export_statement": r"^export\s[^;]*?\bfrom\s*['\"]([^'\"]+)",
        "lexical_declaration": _REQUIRE,
        "variable_declaration": _REQUIRE,
        "expression_statement": r"^require\(\s*['\"`]([^'\"`]+)",
    },
    names={
        "lexical_declaration": "@variable_declarator/name",
        "variable_declaration": "@variable_declarator/name",
        "assignment_expression": "left",
        "field_definition": "property",
        "pair": "key",
    },
    bodies={
        "lexical_declaration": "@variable_declarator/value/body|@variable_declarator/value/@object",
        "variable_declaration": "@variable_declarator/value/body|@variable_declarator/value/@object",
        "assignment_expression": "right/body|right/@object",
        "field_definition": "value/body",
        "pair": "value/body",
    },
    attributes=_kinds("decorator"),
    fallback="tsx",
)

_TYPESCRIPT_UNITS = (
    "type_alias_declaration enum_declaration function_signature method_signature abstract_method_signature"
)


def _typescript_kinds(rules: Mapping[str, str]) -> dict[str, str]:
    return {kind.replace("field_definition", "public_field_definition"): rule for kind, rule in rules.items()}


def _typescript(grammar: str, fallback: str) -> Language:
    """TypeScript is JavaScript with more kinds; the two grammars differ only in how they read `<T>x`."""
    return Language(
        grammar=grammar,
        units=JAVASCRIPT.units | _kinds(_TYPESCRIPT_UNITS),
        containers=_kinds("class_declaration class abstract_class_declaration interface_declaration"),
        namespaces=_kinds("internal_module module"),
        values=JAVASCRIPT.values,
        only_with=_typescript_kinds(JAVASCRIPT.only_with),
        wrappers={
            **JAVASCRIPT.wrappers,
            "expression_statement": ">assignment_expression,internal_module",
            "ambient_declaration": ">function_signature,class_declaration,abstract_class_declaration,"
            "interface_declaration,enum_declaration,type_alias_declaration,internal_module,module,"
            "lexical_declaration,variable_declaration",
        },
        transparent=JAVASCRIPT.transparent,
        imports=JAVASCRIPT.imports,
        names={**_typescript_kinds(JAVASCRIPT.names), "public_field_definition": "name"},
        bodies=_typescript_kinds(JAVASCRIPT.bodies),
        attributes=JAVASCRIPT.attributes,
        fallback=fallback,
    )


GO = Language(
    grammar="go",
    units=_kinds("function_declaration method_declaration type_declaration"),
    values=_kinds("const_declaration var_declaration"),
    imports={"import_declaration": r"[\"`]([^\"`]+)[\"`]"},
    names={
        "method_declaration": "receiver/@type_identifier name",
        "type_declaration": "@type_spec,type_alias/name",
        "const_declaration": "@const_spec/name",
        "var_declaration": "@var_spec/name",
    },
    title=r"(?m)^// (Package \w[^\r\n]*)",
)

RUST = Language(
    grammar="rust",
    units=_kinds(
        "function_item function_signature_item struct_item enum_item union_item type_item macro_definition"
    ),
    containers=_kinds("impl_item trait_item"),
    namespaces=_kinds("mod_item"),
    values=_kinds("const_item static_item"),
    transparent=_kinds("foreign_mod_item declaration_list"),
    imports={
        "use_declaration": r"^(?:pub(?:\([^)]*\))?\s+)?use\s+((?:::)?\w+(?:::\w+)*)",
        "extern_crate_declaration": r"extern\s+crate\s+(\w+)",
    },
    names={"impl_item": "type/@type_identifier|type"},
    attributes=_kinds("attribute_item"),
    comments=_kinds("line_comment block_comment"),
    title=r"\A\s*//!\s*([^\r\n]+)",
)

JAVA = Language(
    grammar="java",
    units=_kinds(
        "method_declaration constructor_declaration compact_constructor_declaration "
        "annotation_type_declaration annotation_type_element_declaration"
    ),
    containers=_kinds("class_declaration interface_declaration enum_declaration record_declaration"),
    transparent=_kinds("enum_body_declarations"),
    imports={"import_declaration": r"^import\s+(?:static\s+)?([\w.]+)"},
    comments=_kinds("line_comment block_comment"),
)


def _declarator_names(kinds: str) -> dict[str, str]:
    """In C the name hides inside the declarator: `int (*name[3])(void)`."""
    rule = f"declarator/@{kinds}"
    return {"function_definition": rule, "declaration": rule, "type_definition": f"{rule}|type/name"}


_C_DECLARATORS = "identifier,field_identifier,type_identifier,primitive_type"
_INCLUDE = {"preproc_include": r"[<\"]([^>\"]+)[>\"]"}

C = Language(
    grammar="c",
    units=_kinds("function_definition struct_specifier union_specifier enum_specifier type_definition"),
    values=_kinds("declaration preproc_def preproc_function_def"),
    only_with={
        "declaration": "declarator/@function_declarator = function_declarator",
        "struct_specifier": "body = field_declaration_list",
        "union_specifier": "body = field_declaration_list",
        "enum_specifier": "body = enumerator_list",
    },
    wrappers={"declaration": "type"},
    transparent=_kinds(
        "preproc_ifdef preproc_if preproc_else preproc_elif linkage_specification declaration_list"
    ),
    imports=_INCLUDE,
    names=_declarator_names(_C_DECLARATORS),
    fallback="cpp",
)

CPP = Language(
    grammar="cpp",
    units=C.units - _kinds("struct_specifier union_specifier") | _kinds("concept_definition"),
    containers=_kinds("class_specifier struct_specifier union_specifier"),
    namespaces=_kinds("namespace_definition"),
    values=C.values | _kinds("alias_declaration"),
    only_with={**C.only_with, "class_specifier": "body = field_declaration_list"},
    wrappers={
        "declaration": "type",
        "field_declaration": "type",
        "template_declaration": ">class_specifier,struct_specifier,union_specifier,function_definition,"
        "declaration,field_declaration,alias_declaration,concept_definition",
    },
    transparent=C.transparent,
    imports=_INCLUDE,
    names={
        **_declarator_names(
            f"qualified_identifier,destructor_name,operator_name,operator_cast,{_C_DECLARATORS}"
        ),
        "class_specifier": "name/@type_identifier|name",
    },
)

CSHARP = Language(
    grammar="csharp",
    units=_kinds(
        "method_declaration constructor_declaration destructor_declaration operator_declaration "
        "conversion_operator_declaration indexer_declaration delegate_declaration enum_declaration "
        "local_function_statement"
    ),
    containers=_kinds("class_declaration struct_declaration interface_declaration record_declaration"),
    namespaces=_kinds("namespace_declaration"),
    only_with={"property_declaration": "accessors/@block = block"},
    wrappers={"global_statement": ">local_function_statement"},
    transparent=_kinds("preproc_if preproc_else preproc_elif"),
    imports={"using_directive": r"^(?:global\s+)?using\s+(?:static\s+)?(?:\w+\s*=\s*)?([\w.]+)"},
    names={
        "operator_declaration": "=operator operator",
        "conversion_operator_declaration": "=operator type",
        "indexer_declaration": "=this",
    },
)

RUBY = Language(
    grammar="ruby",
    units=_kinds("method singleton_method"),
    containers=_kinds("class"),
    namespaces=_kinds("module"),
    values=_kinds("assignment"),
    only_with={"assignment": "right/block = block do_block"},
    wrappers={"call": "arguments/>method,singleton_method"},
    transparent=_kinds("if unless then else begin body_statement singleton_class"),
    imports={"call": r"^(?:require|require_relative|load)[ (]+['\"]([^'\"]+)"},
    names={"assignment": "left"},
    bodies={"assignment": "right/block/body"},
)

PHP = Language(
    grammar="php",
    units=_kinds("function_definition method_declaration"),
    containers=_kinds("class_declaration interface_declaration trait_declaration enum_declaration"),
    namespaces=_kinds("namespace_definition"),
    values=_kinds("const_declaration"),
    only_with={"assignment_expression": "right = anonymous_function arrow_function"},
    wrappers={"expression_statement": ">assignment_expression"},
    transparent=_kinds("if_statement compound_statement colon_block else_clause"),
    imports={
        "namespace_use_declaration": r"^use\s+(?:function\s+|const\s+)?\\?([\w\\]+?)"
        r"(?:\\?\s*[{;,]|\s+as\b|$)",
        "expression_statement": r"^(?:require|include)(?:_once)?\b[\s(]*['\"]([^'\"]+)",
    },
    names={"const_declaration": "@const_element/@name", "assignment_expression": "left"},
    bodies={"assignment_expression": "right/body"},
    attributes=_kinds("attribute_list"),
)

LANGUAGES: Mapping[str, Language] = {
    "python": PYTHON,
    "javascript": JAVASCRIPT,
    "typescript": _typescript("typescript", "tsx"),
    "tsx": _typescript("tsx", "typescript"),
    "go": GO,
    "rust": RUST,
    "java": JAVA,
    "c": C,
    "cpp": CPP,
    "csharp": CSHARP,
    "ruby": RUBY,
    "php": PHP,
}
"""The languages that are cut at declarations, by the names `language_of` gives."""
