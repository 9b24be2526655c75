"""Routes of Go, Java, Kotlin, C# and Rust: groups, nesting, mounted routers, attributes."""

from __future__ import annotations

import pytest

from tests.support.codemap import Case, found

GIN = """\
package main

const prefix = "/api"

type Server struct{}

func (s *Server) register() {
	r := gin.Default()
	api := r.Group(prefix)
	api.GET("", s.index)
	api.Any("/any", wrap(handlers.Any))
	api.Handle("PATCH", "/users/:id", auth, s.update)
	api.Match([]string{"GET", http.MethodPut}, "/match", match)
	users(api.Group("/users"))
	admin(r)
}

func users(g *gin.RouterGroup) {
	g.POST("/:id", create)
}

func admin(r *gin.Engine) {
	r.DELETE("/admin", func(c *gin.Context) {})
}
"""

CHI = """\
package server

func Routes() http.Handler {
	r := chi.NewRouter()
	r.With(paginate).Get("/", list)
	r.Route("/{id}", func(r chi.Router) {
		r.Use(ctx)
		r.Put("/", update)
		r.Group(func(r chi.Router) {
			r.Delete("/", remove)
		})
	})
	r.Mount("/admin", adminRouter())
	r.Mount("/users", usersResource{}.Routes())
	r.Method("GET", "/method", handler)
	return r
}

func adminRouter() chi.Router {
	r := chi.NewRouter()
	r.Get("/accounts", accounts)
	return r
}

func (rs usersResource) Routes() chi.Router {
	r := chi.NewRouter()
	r.Post("/", rs.Create)
	return r
}
"""

GORILLA = """\
package server

func routes() {
	r := mux.NewRouter()
	s := r.PathPrefix("/v1").Subrouter()
	s.HandleFunc("/books/{id:[0-9]+}", book).
		Methods("GET", http.MethodPost).
		Name("book")
	r.Methods("PUT").Path("/chain").HandlerFunc(chained)
	r.PathPrefix("/static/").Handler(http.StripPrefix("/static/", files))
	r.Handle("/handled", http.HandlerFunc(handled)).Methods("DELETE")
}
"""

ECHO = """\
package server

import "github.com/labstack/echo/v4"

func routes(e *echo.Echo) {
	g := e.Group("/g", middleware.Logger())
	g.GET("/x", show, middleware.Gzip())
	e.Add("REPORT", "/x", report)
}
"""

GO_CLIENTS = """\
package client

func calls() {
	resp, err := http.Get("/x")
	resp, err = http.Post("/x", "application/json", body)
	resp, err = client.Put("/x", body)
	resp, err = s.client.Delete("/x", id)
	value := cache.Get("/x", fallback)
	store.Get("/x", &found)
	headers.Get("X-Header")
	t.Run("/x", test)
	assert.Equal("/x", path)
}
"""

SPRING = """\
package shop;

@RestController
@RequestMapping(Paths.BASE)
class OrderController implements Orders {
    @GetMapping(path = Paths.ITEMS + "/{id:\\\\d+}", produces = "application/json")
    public Order one(@PathVariable long id) { return null; }

    @DeleteMapping({"/a", "/b"})
    void remove() {}

    @PostMapping(someWhere())
    void computed() {}
}

class Paths {
    static final String BASE = "/orders";
    static final String ITEMS = "/items";
}
"""

MICRONAUT = """\
@Controller("/hello")
class HelloController {
    @Get("/{name}") String hello(String name) { return name; }
}

@Client("/theirs")
interface TheirClient {
    @Get("/x") String x();
}
"""

JAVALIN = """\
import io.javalin.Javalin;
class App {
    void start(Javalin app) {
        app.get("/users", UserController::list);
        app.post("/users", ctx -> {});
        path("/deep", () -> { delete("/x", Deep::x); });
        map.get("/users");
    }
}
"""

KOTLIN_SPRING = """\
package shop

@RestController
@RequestMapping("/api")
class ItemController(val service: Service) {
    @GetMapping("/items/{id}")
    fun one(@PathVariable id: Long): Item = service.one(id)

    @RequestMapping(value = ["/x", "/y"], method = [RequestMethod.PUT])
    fun both() {}
}
"""

KTOR = """\
import io.ktor.server.routing.*

fun Application.module() {
    routing {
        route("/users") {
            get { call.respond(all()) }
            get("/{id}") { call.respond(one()) }
            authenticate("basic") {
                delete("/{id}") { }
            }
        }
        webSocket("/live") { }
    }
    cache.get("/x") { }
}

fun Route.orders() {
    post("/orders") { }
}

fun helper() {
    get("/no") { }
}
"""

ASP_NET = """\
[Route("api/[controller]/[action]")]
public class BooksController : ControllerBase
{
    const string Item = "{id:int}";

    [HttpGet(Item)]
    public Book Show(int id) => null;

    [AcceptVerbs("PUT", "PATCH", Route = "~/books")]
    public void Save() {}

    [Route("plain")]
    public void Plain() {}
}
"""

MINIMAL = """\
var app = WebApplication.Create(args);
var api = app.MapGroup("/api").RequireAuthorization();
api.MapGet("/items", Items.List);
app.MapGroup("/direct").MapPost("/x", () => "ok");
app.MapMethods("/many", new[] { "GET", "PUT" }, Many);
app.Map("/any", Any);
config.Map("no path", value);
list.Map(x => x, y);
"""

AZURE = """\
public class Functions
{
    [Function("Orders")]
    public void Run(
        [HttpTrigger(AuthorizationLevel.Function, "get", "post", Route = "orders/{id}")] Request r) {}
}
"""

AXUM = """\
const HEALTH: &str = "/health";

fn app() -> Router {
    let users = Router::new()
        .route("/", get(list).post(users::create))
        .route("/:id", delete(|id| async {}));
    Router::new()
        .route(HEALTH, routing::get(health))
        .route("/any", any(handle))
        .nest("/users", users)
        .nest("/admin", admin())
        .merge(extra())
        .layer(TraceLayer::new_for_http())
}

fn admin() -> Router {
    Router::new().route("/stats", get(stats).layer(auth))
}

fn extra() -> Router {
    let mut app = Router::new();
    app = app.route("/extra", put(extra_handler));
    app
}
"""

ACTIX = """\
/// Shows one.
#[get("/users/{id}")]
#[protect("ADMIN")]
async fn show(id: web::Path<u32>) -> impl Responder {}

#[route("/both", method = "GET", method = "POST")]
async fn both() {}

fn config(cfg: &mut web::ServiceConfig) {
    cfg.service(
        web::scope("/api")
            .service(show)
            .service(web::resource("/items").route(web::get().to(items)).route(web::post().to(add)))
            .route("/ping", web::get().to(ping)),
    );
    cfg.service(web::resource("/all").to(everything));
}
"""

ROCKET = """\
#[get("/hello/<name>?<age>")]
fn hello(name: &str) -> String {}

#[post("/", data = "<form>")]
fn create() {}

#[launch]
fn rocket() -> _ {
    rocket::build().mount("/api", routes![hello, create])
}

#[derive(Get)]
struct NotARoute;
"""

CASES: dict[str, Case] = {
    "gin": (
        "server.go",
        GIN,
        [
            ("GET /api", "Server.index", 10),
            ("ANY /api/any", "handlers.Any", 11),
            ("PATCH /api/users/:id", "Server.update", 12),
            ("GET /api/match", "match", 13),
            ("PUT /api/match", "match", 13),
            ("POST /api/users/:id", "create", 19),
            ("DELETE /admin", "(inline)", 23),
        ],
    ),
    "chi": (
        "server.go",
        CHI,
        [
            ("GET /", "list", 5),
            ("PUT /{id}/", "update", 8),
            ("DELETE /{id}/", "remove", 10),
            ("GET /method", "handler", 15),
            ("GET /admin/accounts", "accounts", 21),
            ("POST /users/", "usersResource.Create", 27),
        ],
    ),
    "gorilla": (
        "server.go",
        GORILLA,
        [
            ("GET /v1/books/{id:[0-9]+}", "book", 6),
            ("POST /v1/books/{id:[0-9]+}", "book", 6),
            ("PUT /chain", "chained", 9),
            ("ANY /static/", "(inline)", 10),
            ("DELETE /handled", "handled", 11),
        ],
    ),
    "echo": ("server.go", ECHO, [("GET /g/x", "show", 7), ("REPORT /x", "report", 8)]),
    "requests of Go's clients": ("client.go", GO_CLIENTS, []),
    "spring: constants, and no path that is computed": (
        "OrderController.java",
        SPRING,
        [
            (r"GET /orders/items/{id:\d+}", "OrderController.one", 6),
            ("DELETE /orders/a", "OrderController.remove", 9),
            ("DELETE /orders/b", "OrderController.remove", 9),
        ],
    ),
    "micronaut": ("Hello.java", MICRONAUT, [("GET /hello/{name}", "HelloController.hello", 3)]),
    "javalin": (
        "App.java",
        JAVALIN,
        [
            ("GET /users", "UserController.list", 4),
            ("POST /users", "(inline)", 5),
            ("DELETE /deep/x", "Deep.x", 6),
        ],
    ),
    "kotlin: spring": (
        "ItemController.kt",
        KOTLIN_SPRING,
        [
            ("GET /api/items/{id}", "ItemController.one", 6),
            ("PUT /api/x", "ItemController.both", 9),
            ("PUT /api/y", "ItemController.both", 9),
        ],
    ),
    "ktor": (
        "App.kt",
        KTOR,
        [
            ("GET /users", "(inline)", 6),
            ("GET /users/{id}", "(inline)", 7),
            ("DELETE /users/{id}", "(inline)", 9),
            ("WEBSOCKET /live", "(inline)", 12),
            ("POST /orders", "(inline)", 18),
        ],
    ),
    "asp.net": (
        "BooksController.cs",
        ASP_NET,
        [
            ("GET /api/Books/Show/{id:int}", "BooksController.Show", 6),
            ("PUT /books", "BooksController.Save", 9),
            ("PATCH /books", "BooksController.Save", 9),
            ("ANY /api/Books/Plain/plain", "BooksController.Plain", 12),
        ],
    ),
    "minimal api": (
        "Program.cs",
        MINIMAL,
        [
            ("GET /api/items", "Items.List", 3),
            ("POST /direct/x", "(inline)", 4),
            ("GET /many", "Many", 5),
            ("PUT /many", "Many", 5),
            ("ANY /any", "Any", 6),
        ],
    ),
    "azure functions": (
        "Functions.cs",
        AZURE,
        [("GET /orders/{id}", "Functions.Run", 4), ("POST /orders/{id}", "Functions.Run", 4)],
    ),
    "axum": (
        "src/app.rs",
        AXUM,
        [
            ("GET /users", "list", 5),
            ("POST /users", "users::create", 5),
            ("DELETE /users/:id", "(inline)", 6),
            ("GET /health", "health", 8),
            ("ANY /any", "handle", 9),
            ("GET /admin/stats", "stats", 17),
            ("PUT /extra", "extra_handler", 22),
        ],
    ),
    "actix": (
        "src/api.rs",
        ACTIX,
        [
            ("GET /api/users/{id}", "show", 2),
            ("GET /both", "both", 6),
            ("POST /both", "both", 6),
            ("GET /api/items", "items", 13),
            ("POST /api/items", "add", 13),
            ("GET /api/ping", "ping", 14),
            ("ANY /all", "everything", 16),
        ],
    ),
    "rocket": (
        "src/main.rs",
        ROCKET,
        [("GET /api/hello/<name>?<age>", "hello", 1), ("POST /api", "create", 4)],
    ),
}


@pytest.mark.parametrize("path, text, expected", CASES.values(), ids=CASES.keys())
def test_compiled_routes_have_method_whole_path_handler_and_line(
    path: str, text: str, expected: list[tuple[str, str, int]]
) -> None:
    assert found(path, text, "route") == expected
