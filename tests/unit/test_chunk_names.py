"""What a declaration is called in languages whose grammars make that hard to see, and what goes with it."""

from __future__ import annotations

import time

import pytest

from brain_dagster.chunk.api import chunk_text
from brain_dagster.chunk.languages import LANGUAGES
from brain_dagster.chunk.spelling import rewritten

BUDGET = 100
ROWS = [name for name, row in LANGUAGES.items() if row.rewrites]


@pytest.mark.parametrize(
    ("language", "declaration", "symbol"),
    [
        ("kotlin", "fun <T> Map<String, List<T>>.flat(): List<T> = values.flatten()", "Map.flat"),
        ("kotlin", 'val String?.orDash: String\n    get() = this ?: "-"', "String.orDash"),
        ("kotlin", "fun `pays twice for nothing`() { pay() }", "pays twice for nothing"),
        ("kotlin", "class Vault\n@Inject\ninternal constructor(val key: Key) : Safe", "Vault"),
        ("kotlin", "typealias Handler = (Event) -> Unit", "Handler"),
        ("scala", "implicit class RichInt(val n: Int) extends AnyVal { def squared = n * n }", "RichInt"),
        ("scala", "given [T](using Ord[T]): Ord[List[T]] with\n  def compare(a: Int): Int = 1", "Ord"),
        ("scala", "extension [T](items: List[T]) def second: T = items(1)", "List"),
        ("scala", "package object text { def trim(s: String) = s }", "text"),
        (
            "scala",
            'test("an empty basket costs nothing") { assert(total == 0) }',
            "an empty basket costs nothing",
        ),
        ("swift", "static func == (left: Point, right: Point) -> Bool { left.x == right.x }", "=="),
        ("swift", "extension Array.Index: Shape where Element == Int { func area() {} }", "Array.Index"),
        ("swift", "actor Bank<Money> { func pay() {} }", "Bank"),
        ("swift", "convenience init?(text: String) { return nil }", "init"),
        ("objc", "@interface Shop (Hours) <Open>\n- (void)close;\n@end", "Shop"),
        ("objc", "typedef NS_OPTIONS(NSUInteger, Day) {\n  DayOff = 1 << 0,\n};", "Day"),
        ("objc", "typedef void (^Done)(NSError *error);", "Done"),
        (
            "objc",
            "NS_ASSUME_NONNULL_BEGIN\n@protocol Paying <NSObject>\n@end\nNS_ASSUME_NONNULL_END",
            "Paying",
        ),
        ("fsharp", "let inline (<+>) a b = combine a b", "(<+>)"),
        ("fsharp", "let inline ( .+ ) a b = combine a b", "(.+)"),
        ("fsharp", "let (|Even|Odd|) n = if n % 2 = 0 then Even else Odd", "(|Even|Odd|)"),
        ("fsharp", "let ``two and two`` () = 4", "two and two"),
        ("fsharp", "type System.String with\n    member this.Shout = this.ToUpper()", "System.String"),
        ("dart", "extension on List<int> { int get total => 1; }", "List"),
        ("dart", "class Tea = Drink with Hot;", "Tea"),
        ("dart", "typedef int Compare(Object a, Object b);", "Compare"),
        ("zig", "pub const Mode = packed struct(u8) { a: bool, rest: u7 };", "Mode"),
        (
            "zig",
            'test "an empty list has no head" { try expect(head == null); }',
            "an empty list has no head",
        ),
        ("zig", 'pub extern "c" fn puts(text: [*:0]const u8) c_int;', "puts"),
        ("solidity", "contract A { fallback() external payable { } }", "A"),
        ("solidity", "type Price is uint128;", "Price"),
        ("solidity", "abstract contract Pausable is Context { modifier whenOpen() { _; } }", "Pausable"),
        ("graphql", 'extend schema @link(url: "x") { query: Query }', "schema"),
        ("graphql", "subscription { ticks }", "subscription"),
        ("graphql", '"""\nA name.\n"""\ndirective @named(as: String) on FIELD', "named"),
        (
            "protobuf",
            "extend google.protobuf.FieldOptions { string unit = 50001; }",
            "google.protobuf.FieldOptions",
        ),
        ("protobuf", "service Clock { rpc Now(Empty) returns (stream Time); }", "Clock"),
        ("groovy", "tasks.register('integrationTest', Test) {\n    useJUnitPlatform()\n}", "integrationTest"),
        (
            "groovy",
            'def "a lamp can be lit twice"() {\n    expect: lamp.light()\n}',
            "a lamp can be lit twice",
        ),
        (
            "groovy",
            "private static Map<String, List<Integer>> byName(List<Lamp> lamps) {\n    [:]\n}",
            "byName",
        ),
        ("groovy", "dependencies {\n    implementation 'a:b:1'\n}", "dependencies"),
    ],
)
def test_name_of_a_declaration(language: str, declaration: str, symbol: str) -> None:
    (chunk,) = chunk_text(declaration + "\n", language, BUDGET).chunks
    assert chunk.symbol == symbol


def members(text: str, language: str, budget: int = 40) -> list[str]:
    chunks = chunk_text(text, language, budget).chunks
    return list(dict.fromkeys(name for chunk in chunks for name in chunk.symbol.split(", ")))


FILLING = " + ".join(f"value{number}" for number in range(20))


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        ("solidity", f"contract A {{ receive() external payable {{ a = {FILLING}; }} }}", "A.receive"),
        ("swift", f"extension A.B {{ func c(d e: Int) {{ f = {FILLING} }} }}", "A.B.c"),
        (
            "objc",
            f"@implementation A (B)\n- (int)c:(int)d with:(int)e {{ return {FILLING}; }}\n@end",
            "A.c:with:",
        ),
        ("objc", f"@implementation A\n+ (int)c {{ return {FILLING}; }}\n@end", "A.c"),
        ("dart", f"class A {{ A.b() {{ c = {FILLING}; }} }}", "A.b"),
        ("dart", f"class A {{ A operator +(A other) => A({FILLING}); }}", "A.+"),
        ("dart", f"class A {{ bool operator ==(Object b) => {FILLING} == b; }}", "A.=="),
        ("kotlin", f"class A {{\n  companion object {{\n    fun b() = {FILLING}\n  }}\n}}", "A.Companion.b"),
        ("scala", f"extension (a: Money[Int])\n  def b = {FILLING}\n", "Money.b"),
        ("fsharp", f"module A.B\ntype C() =\n    member _.D e = {FILLING}\n", "A.B.C.D"),
        ("fsharp", f"type C() =\n    interface E with\n        member _.D f = {FILLING}\n", "C.E.D"),
        (
            "zig",
            f"pub fn List(comptime T: type) type {{\n    return struct {{\n        fn add() T {{\n"
            f"            return {FILLING};\n        }}\n    }};\n}}",
            "List.add",
        ),
        ("groovy", f"class A {{\n    A(int b) {{\n        c = {FILLING}\n    }}\n}}", "A.A"),
    ],
)
def test_member_is_named_by_what_it_belongs_to(language: str, text: str, expected: str) -> None:
    assert expected in members(text + "\n", language)


@pytest.mark.parametrize(
    ("language", "text", "header"),
    [
        (
            "objc",
            f"@implementation A {{\n  int b;\n}}\n- (int)d {{ return {FILLING}; }}\n@end",
            "@implementation A",
        ),
        ("fsharp", f"type A(b: int) =\n    inherit C(b)\n    member _.D e = {FILLING}\n", "type A(b: int) ="),
        (
            "zig",
            f"pub const A = struct {{\n    fn b() u8 {{\n        return {FILLING};\n    }}\n}};",
            "pub const A =",
        ),
        ("protobuf", "service A {\n" + "  rpc B(C) returns (stream D);\n" * 9 + "}", "service A"),
        (
            "groovy",
            f"class A extends B implements C {{\n    int d() {{\n        {FILLING}\n    }}\n}}",
            "class A extends B implements C",
        ),
    ],
)
def test_header_is_the_line_that_introduces_a_container(language: str, text: str, header: str) -> None:
    chunks = chunk_text(text + "\n", language, 40).chunks
    assert header in {outer for chunk in chunks for outer in chunk.enclosing}


def test_body_stays_with_the_signature_it_stands_beside() -> None:
    """In the grammar of Dart the two are siblings."""
    text = "".join(f"int f{n}(int a)\n{{\n  return {FILLING};\n}}\n\n" for n in range(3))
    chunks = chunk_text(text, "dart", BUDGET).chunks
    assert [(chunk.symbol, chunk.start_line, chunk.end_line) for chunk in chunks] == [
        ("f0", 1, 5),
        ("f1", 6, 10),
        ("f2", 11, 15),
    ]


def test_getter_on_the_next_line_stays_with_its_property() -> None:
    text = f"class A {{\n    val b: Int\n        get() = {FILLING}\n\n    fun c() = {FILLING}\n}}\n"
    chunks = chunk_text(text, "kotlin", BUDGET).chunks
    assert [(chunk.symbol, chunk.start_line, chunk.end_line) for chunk in chunks] == [
        ("A.b", 1, 4),
        ("A.c", 5, 6),
    ]


def test_documentation_below_the_last_import_belongs_to_what_follows() -> None:
    """The grammar of Kotlin counts it as part of the import."""
    text = f"import a.b.C\nimport a.b.D\nimport a.b.E\n\n/** Sums up. */\nfun d() = {FILLING}\n"
    imports, function = chunk_text(text, "kotlin", BUDGET).chunks
    assert (imports.kind, imports.end_line) == ("imports", 4)
    assert function.text.startswith("/** Sums up. */\n")


def test_documentation_below_a_member_belongs_to_the_next_one() -> None:
    """The grammar of F# counts it as part of the member above."""
    text = f"type A() =\n    new(b) = A({FILLING})\n\n    /// Last.\n    member _.C d = {FILLING}\n"
    (last,) = [chunk for chunk in chunk_text(text, "fsharp", BUDGET).chunks if chunk.symbol == "A.C"]
    assert last.text.startswith("    /// Last.\n")


def test_condition_around_a_member_leads_it() -> None:
    text = (
        f"class A {{\n    #if DEBUG\n    func b() {{ c = {FILLING} }}\n    #endif\n\n"
        f"    func d() {{ e = {FILLING} }}\n}}\n"
    )
    chunks = chunk_text(text, "swift", BUDGET).chunks
    assert chunk_text(text, "swift", BUDGET).warnings == ()
    assert [(chunk.symbol, chunk.start_line, chunk.end_line) for chunk in chunks] == [
        ("A.b", 1, 5),
        ("A.d", 6, 7),
    ]


def test_comment_below_a_directive_leads_what_follows_it() -> None:
    """In the grammar of C a directive reaches into the next line."""
    text = f"#define A 1\n/* Sums up. */\nint b(void) {{\n    return {FILLING};\n}}\n"
    (function,) = [chunk for chunk in chunk_text(text, "c", BUDGET).chunks if "b" in chunk.symbol.split(", ")]
    assert "/* Sums up. */\nint b" in function.text


def test_objective_c_header_is_read_as_such_though_its_name_says_c() -> None:
    text = "#import <A/A.h>\n\n@interface B : NSObject\n- (void)c:(int)d with:(int)e;\n@end\n"
    document = chunk_text(text, "c", BUDGET)
    assert document.outline == ("B",)
    assert document.warnings == ()


def test_e6_grammar_that_comes_to_no_end_is_given_up() -> None:
    """The F# grammar never finishes with type parameters in two backticks; the worker must."""
    call = "(^``F<'T>`` : (static member Empty : ^``F<'T>``) ()) : '``F<'T>``"
    text = (
        "type Empty =\n"
        "    static member        Empty (a: seq<'T>    , [<Optional>]_b: C) = Seq.empty : seq<'T>\n"
        f"    static member inline Empty (a: '``F<'T>`` , [<Optional>]_b: D) = {call}\n"
        "    static member        Empty (a: voption<'T>, [<Optional>]_b: E) = ValueNone : voption<'T>\n"
    )
    document = chunk_text(text, "fsharp", BUDGET)
    assert "".join(chunk.text for chunk in document.chunks) == text
    assert document.warnings == ("parsed partially: the grammar of fsharp comes to no end; cut by lines",)


@pytest.mark.parametrize("name", ROWS)
@pytest.mark.parametrize(
    "unit", ["a<", "const a, ", "@a(", "A_", "class A ", "(a..", "AVAILABLE(a", "a: b ", "    "]
)
def test_e6_what_is_rewritten_is_found_in_one_pass(name: str, unit: str) -> None:
    """Measured in hundredths of a second; a pattern that goes back and forth takes minutes."""
    content = unit.encode() * 20_000
    started = time.thread_time()
    assert len(rewritten(content, LANGUAGES[name].rewrites)) == len(content)
    assert time.thread_time() - started < 1.5


def test_e6_one_bracket_again_and_again_takes_neither_memory_nor_time() -> None:
    """The grammar of Scala would take 2 GB over these 100 kB."""
    text = "x = " + "(" * 100_000
    document = chunk_text(text, "scala", BUDGET)
    assert "".join(chunk.text for chunk in document.chunks) == text
    assert document.warnings == ("parsed partially: the grammar of scala comes to no end; cut by lines",)
