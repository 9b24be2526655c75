"""HTTP routes: method, whole path and handler for each framework; look-alikes are left alone."""

from __future__ import annotations

import pytest

from brain_dagster.codemap.mapping import map_document

Expected = list[tuple[str, str, int]]

FASTAPI = """\
from fastapi import APIRouter
router = APIRouter(prefix="/users", tags=["u"])

@router.get("/{user_id}", response_model=User)
async def read_user(user_id: int): ...

@router.post("")
def create(): ...

@app.websocket("/live")
async def live(socket): ...

@app.api_route("/both", methods=["PUT", "PATCH"])
def both(): ...

@cache.get("key")
def not_a_route(): ...

client.get("/also/not")
"""

FLASK = """\
bp = Blueprint("admin", __name__, url_prefix="/admin")

@app.route("/login", methods=["GET", "POST"])
@limited
def login(): ...

@bp.route("/x")
def x(): ...

@app.route(f"/{built}")
def built_at_run_time(): ...

app.add_url_rule("/old", view_func=old)
app.add_url_rule("/older", "endpoint", older)
"""

STARLETTE = """\
routes = [
    Route("/", homepage),
    Mount("/api", routes=[
        Route("/items", items, methods=["POST"]),
        WebSocketRoute("/live", endpoint=live),
    ]),
    Route("/lambda", lambda request: None),
]
"""

DJANGO = """\
from django.urls import include, path, re_path
urlpatterns = [
    path("articles/<int:year>/", views.year_archive, name="archive"),
    path("blog/", include("blog.urls")),
    re_path(r"^old/(?P<x>\\d+)$", Old.as_view()),
]
os.path("not", "this")
"""

EXPRESS = """\
const express = require("express");
const api = express.Router();
app.get("/health", (req, res) => res.send("ok"));
api.post('/users', auth, users.create);
app.get("title");
http.get("/request", { json: true });
client.get("/request", callback);
router.route("/books")
  .get(listBooks)
  .post(auth, function addBook(req, res) {});
app.all("/any", handler);
request(app).get("/test", done);
"""

TYPESCRIPT = """\
import { Router } from "express";
export const users: Router = Router();
users.delete(`/users/:id`, removeUser);
users.get(`/built/${name}`, no);
"""

GO = """\
package server

func routes() {
\thttp.HandleFunc("/healthz", health)
\tmux.HandleFunc("GET /items/{id}", s.getItem)
\tr.HandleFunc("/books", books).Methods("GET", "POST")
\tv1 := router.Group("/v1")
\tv2 := v1.Group("/deep")
\tv1.GET("/users/:id", auth, getUser)
\tv2.POST("/x", x)
\tr.Route("/articles", func(r chi.Router) {
\t\tr.Get("/", list)
\t\tr.Route("/{id}", func(r chi.Router) { r.Delete("/", remove) })
\t})
\tresponse, _ := client.Get("/request")
\tmux.Handle("/static/", http.FileServer(dir))
}
"""

SPRING = """\
@RestController
@RequestMapping("/api/users")
public class UserController {
    @GetMapping("/{id}")
    public User show(@PathVariable long id) { return null; }

    @PostMapping
    public User create() { return null; }

    @RequestMapping(value = {"/a", "/b"}, method = {RequestMethod.PUT, RequestMethod.PATCH})
    public void both() {}

    @RequestMapping(path = "/any")
    public void any() {}
}
"""

JAX_RS = """\
@Path("/books")
public class Books {
    @GET
    @Path("{isbn}")
    public Book get() { return null; }
}
"""

FEIGN = """\
@FeignClient("billing")
public interface Billing {
    @GetMapping("/theirs")
    Invoice get();
}
"""

ASP_NET = """\
[ApiController]
[Route("api/[controller]")]
public class UsersController : ControllerBase
{
    [HttpGet("{id}")]
    public IActionResult Show(int id) => Ok();

    [HttpPost, Route("new")]
    public IActionResult Create() { return Ok(); }

    [HttpDelete("/gone")]
    public string Gone() => "x";
}
"""

MINIMAL = """\
var app = builder.Build();
app.MapGet("/health", () => "ok");
var users = app.MapGroup("/users");
users.MapPost("/{id}", Create);
"""

LARAVEL = """\
<?php
Route::get('/users/{id}', [UserController::class, 'show'])->name('users.show');
Route::match(['get', 'post'], '/form', 'FormController@handle');
Route::prefix('admin')->middleware('auth')->group(function () {
    Route::post('/posts', function () { return 1; });
    Route::group(['prefix' => 'deep'], function () {
        Route::get('/x', Single::class);
    });
});
Route::apiResource('photos', PhotoController::class);
Route::middleware('auth')->delete('/me', [Me::class, 'destroy']);
$client->get('/request', []);
"""

RAILS = """\
Rails.application.routes.draw do
  root "home#index"
  get "/about", to: "pages#about"
  get "/old" => "pages#old"
  namespace :admin do
    resources :users, only: [:index, :show]
  end
  resources :posts, except: %i[new edit create] do
    member do
      post :publish
    end
    get :search, on: :collection
    resources :comments, only: :create
  end
  resource :profile, only: [:show]
  match "/any", to: "x#y", via: [:get, :post]
end
"""

CASES: dict[str, tuple[str, str, Expected]] = {
    "fastapi": (
        "app.py",
        FASTAPI,
        [
            ("GET /users/{user_id}", "read_user", 4),
            ("POST /users", "create", 7),
            ("WEBSOCKET /live", "live", 10),
            ("PUT /both", "both", 13),
            ("PATCH /both", "both", 13),
        ],
    ),
    "flask": (
        "app.py",
        FLASK,
        [
            ("GET /login", "login", 3),
            ("POST /login", "login", 3),
            ("GET /admin/x", "x", 7),
            ("GET /old", "old", 13),
            ("GET /older", "older", 14),
        ],
    ),
    "starlette": (
        "app.py",
        STARLETTE,
        [
            ("GET /", "homepage", 2),
            ("POST /api/items", "items", 4),
            ("WEBSOCKET /api/live", "live", 5),
            ("GET /lambda", "(inline)", 7),
        ],
    ),
    "django": (
        "blog/urls.py",
        DJANGO,
        [
            ("ANY /articles/<int:year>/", "views.year_archive", 3),
            ("ANY /blog/", 'include "blog.urls"', 4),
            (r"ANY ^old/(?P<x>\d+)$", "Old", 5),
        ],
    ),
    "express": (
        "server.js",
        EXPRESS,
        [
            ("GET /health", "(inline)", 3),
            ("POST /users", "users.create", 4),
            ("GET /books", "listBooks", 9),
            ("POST /books", "addBook", 10),
            ("ANY /any", "handler", 11),
        ],
    ),
    "typescript": ("users.ts", TYPESCRIPT, [("DELETE /users/:id", "removeUser", 3)]),
    "go": (
        "server.go",
        GO,
        [
            ("ANY /healthz", "health", 4),
            ("GET /items/{id}", "s.getItem", 5),
            ("GET /books", "books", 6),
            ("POST /books", "books", 6),
            ("GET /v1/users/:id", "getUser", 9),
            ("POST /v1/deep/x", "x", 10),
            ("GET /articles/", "list", 12),
            ("DELETE /articles/{id}/", "remove", 13),
            ("ANY /static/", "(inline)", 16),
        ],
    ),
    "spring": (
        "UserController.java",
        SPRING,
        [
            ("GET /api/users/{id}", "UserController.show", 4),
            ("POST /api/users", "UserController.create", 7),
            ("PUT /api/users/a", "UserController.both", 10),
            ("PATCH /api/users/a", "UserController.both", 10),
            ("PUT /api/users/b", "UserController.both", 10),
            ("PATCH /api/users/b", "UserController.both", 10),
            ("ANY /api/users/any", "UserController.any", 13),
        ],
    ),
    "jax-rs": ("Books.java", JAX_RS, [("GET /books/{isbn}", "Books.get", 3)]),
    "feign": ("Billing.java", FEIGN, []),
    "asp.net": (
        "UsersController.cs",
        ASP_NET,
        [
            ("GET /api/Users/{id}", "UsersController.Show", 5),
            ("POST /api/Users/new", "UsersController.Create", 8),
            ("DELETE /gone", "UsersController.Gone", 11),
        ],
    ),
    "minimal api": (
        "Program.cs",
        MINIMAL,
        [("GET /health", "(inline)", 2), ("POST /users/{id}", "Create", 4)],
    ),
    "laravel": (
        "routes/web.php",
        LARAVEL,
        [
            ("GET /users/{id}", "UserController@show", 2),
            ("GET /form", "FormController@handle", 3),
            ("POST /form", "FormController@handle", 3),
            ("POST /admin/posts", "(inline)", 5),
            ("GET /admin/deep/x", "Single", 7),
            ("GET /photos", "PhotoController@index", 10),
            ("POST /photos", "PhotoController@store", 10),
            ("GET /photos/{photo}", "PhotoController@show", 10),
            ("PUT|PATCH /photos/{photo}", "PhotoController@update", 10),
            ("DELETE /photos/{photo}", "PhotoController@destroy", 10),
            ("DELETE /me", "Me@destroy", 11),
        ],
    ),
    "rails": (
        "config/routes.rb",
        RAILS,
        [
            ("GET /", "home#index", 2),
            ("GET /about", "pages#about", 3),
            ("GET /old", "pages#old", 4),
            ("GET /admin/users", "admin/users#index", 6),
            ("GET /admin/users/:id", "admin/users#show", 6),
            ("GET /posts", "posts#index", 8),
            ("GET /posts/:id", "posts#show", 8),
            ("PATCH /posts/:id", "posts#update", 8),
            ("PUT /posts/:id", "posts#update", 8),
            ("DELETE /posts/:id", "posts#destroy", 8),
            ("POST /posts/:id/publish", "posts#publish", 10),
            ("GET /posts/search", "posts#search", 12),
            ("POST /posts/:post_id/comments", "comments#create", 13),
            ("GET /profile", "profiles#show", 15),
            ("GET /any", "x#y", 16),
            ("POST /any", "x#y", 16),
        ],
    ),
}


@pytest.mark.parametrize("framework", CASES)
def test_routes_have_method_whole_path_handler_and_line(framework: str) -> None:
    path, text, expected = CASES[framework]
    found = map_document(path, "", text)
    assert [(e.name, e.detail, e.line) for e in found if e.kind == "route"] == expected


@pytest.mark.parametrize("ending", ["\r\n", "\r"])
@pytest.mark.parametrize("framework", ["flask", "express", "go", "spring", "rails"])
def test_e4_twins_with_other_line_ends_have_the_same_lines(framework: str, ending: str) -> None:
    path, text, expected = CASES[framework]
    found = map_document(path, "", text.replace("\n", ending))
    assert [(e.name, e.detail, e.line) for e in found if e.kind == "route"] == expected


def test_lines_are_counted_in_characters_and_not_in_bytes() -> None:
    found = map_document("app.py", "", "# ünïcödé €€€ 𝔘𝔫𝔦\n\n@app.get('/é')\ndef f(): ...\n")
    assert [(e.name, e.line) for e in found] == [("GET /é", 3)]
