"""Routes of Python's frameworks: prefixes, mounts, views by class, constants, and look-alikes."""

from __future__ import annotations

import pytest

from tests.support.codemap import Case, found

NESTED_BLUEPRINTS = """\
from flask import Blueprint, Flask
from flask.views import MethodView

parent = Blueprint("parent", __name__, url_prefix="/parent")
child = Blueprint("child", __name__, url_prefix="/child")
elsewhere = Blueprint("elsewhere", __name__, url_prefix="/own")

@child.route("/")
def index(): ...

@elsewhere.post("/x")
def x(): ...

class UserAPI(MethodView):
    def get(self, id): ...
    def delete(self, id): ...

parent.add_url_rule("/users/<int:id>", view_func=UserAPI.as_view("user"))

def create_app():
    app = Flask(__name__)
    app.add_url_rule("/views", view_func=login_required(views.Unknown.as_view("u")))
    app.add_url_rule("/plain", "plain", plain, methods=["PUT"])
    parent.register_blueprint(child)
    app.register_blueprint(parent)
    app.register_blueprint(elsewhere, url_prefix="/given")
    return app
"""

FASTAPI_ROUTERS = """\
PREFIX = "/items"
VERSION = "/v1"
router = APIRouter(prefix=PREFIX)
admin = APIRouter()

@router.get("/{id}")
def read(id: int): ...

@admin.delete(f"{VERSION}/{{id}}")
async def remove(id: int): ...

@admin.get(settings.path)
def unknown(): ...

class Service:
    def __init__(self):
        self.api = APIRouter(prefix="/service")
        self.api.add_api_route("/ping", self.ping, methods=["GET", "HEAD"])

    async def ping(self): ...

app = FastAPI()
app.include_router(router, prefix="/api")
app.include_router(admin, prefix="/admin")
app.include_router(other.router, prefix="/other")
"""

STARLETTE_APP = """\
users = [
    Route("/", list_users),
    Route("/{id}", endpoint=UserEndpoint),
]

class UserEndpoint(HTTPEndpoint):
    async def get(self, request): ...
    async def put(self, request): ...

routes = [
    Mount("/users", routes=users),
    Mount("/static", app=StaticFiles(directory="static")),
    Mount("/v1", routes=[Mount("/deep", routes=[Route("/x", functools.partial(show, 1))])]),
]
app = Starlette(routes=routes)
app.add_route("/late", late, methods=["POST"])
app.add_websocket_route("/ws", socket)
"""

DJANGO_PROJECT = """\
from django.urls import include, path, re_path
from rest_framework.routers import DefaultRouter

router = DefaultRouter()
router.register(r"books", views.BookViewSet, basename="book")

extra = [
    path("reports/", credit.report),
    re_path(r"^charge/(?P<id>\\d+)/$", login_required(credit.Charge.as_view(template_name="x"))),
]

urlpatterns = [
    path("", views.home),
    path("credit/", include(extra)),
    path("shop/", include(([path("cart/", cart.show), path("pay/", cart.pay)], "shop"))),
    path("api/", include(router.urls)),
    path("admin/", admin.site.urls),
    re_path(r"^long/" r"name/$", views.long),
]
urlpatterns += [path("late/", views.late)]
"""

AIOHTTP_APP = """\
routes = web.RouteTableDef()

@routes.get("/hello")
async def hello(request): ...

@routes.view("/things")
class Things(web.View):
    async def get(self): ...
    async def post(self): ...

sub = web.Application()
sub.add_routes([web.get("/x", handlers.x), web.route("*", "/any", anything), web.view("/v", Things)])
app = web.Application()
app.add_routes(routes)
app.router.add_get("/plain", plain)
app.router.add_route("PUT", "/put", put)
app.add_subapp("/sub", sub)
"""

TORNADO_APP = """\
class Main(tornado.web.RequestHandler):
    def get(self): ...
    def post(self): ...

def make_app():
    return tornado.web.Application([
        (r"/", Main),
        url(r"/story/([0-9]+)", handlers.Story, name="story"),
    ])

settings = {"x": [("/not", "a route")]}
"""

SANIC_APP = """\
bp = Blueprint("things", url_prefix="/things")

@bp.route("/", methods=["GET", "POST"])
async def things(request): ...

@bp.websocket("/feed")
async def feed(request, ws): ...

app = Sanic("x")
app.blueprint(bp)
app.add_route(show, "/show")
"""

BOTTLE_APP = """\
from bottle import get, route

@route("/hello/<name>")
def hello(name): ...

@route(["/a", "/b"], method=["PUT"])
def both(): ...

@get("/plain")
def plain(): ...
"""

NEGATIVES = """\
import requests

config = {}
config.get("/etc/config", None)
requests.get("http://example.org/x")
client.post("/users", json={})

@mock.patch("/usr/lib")
@cache.get("key")
def test_it(client):
    response = client.get("/users")
    os.path.join("a", "b")
    web.get("/only")

Route("no slash", endpoint)
add_route("/x", y)
re.compile(r"/x", re.I)
"""

# A parameter is not the router of the same name outside.
PARAMETER = """\
bp = Blueprint("x", __name__, url_prefix="/outer")

def register(bp):
    @bp.route("/inner")
    def inner(): ...
"""

# Which of its values a name has is not told by reading one line.
REASSIGNED = """\
prefix = "/a"
@app.get(prefix + "/x")
def first(): ...

prefix = "/b"
@app.get(f"{prefix}/x")
def second(): ...
"""

CIRCLE = """\
a = APIRouter(prefix="/a")
b = APIRouter(prefix="/b")
a.include_router(b)
b.include_router(a)

@a.get("/x")
def x(): ...
"""

CASES: dict[str, Case] = {
    "flask: blueprints in blueprints, views by class": (
        "app.py",
        NESTED_BLUEPRINTS,
        [
            ("GET /parent/child/", "index", 8),
            ("POST /given/x", "x", 11),
            ("GET /parent/users/<int:id>", "UserAPI.get", 18),
            ("DELETE /parent/users/<int:id>", "UserAPI.delete", 18),
            ("ANY /views", "views.Unknown", 22),
            ("PUT /plain", "plain", 23),
        ],
    ),
    "fastapi: routers included, constants followed": (
        "app.py",
        FASTAPI_ROUTERS,
        [
            ("GET /api/items/{id}", "read", 6),
            ("DELETE /admin/v1/{id}", "remove", 9),
            ("GET /service/ping", "Service.ping", 18),
            ("HEAD /service/ping", "Service.ping", 18),
        ],
    ),
    "starlette: lists mounted by name and in place": (
        "app.py",
        STARLETTE_APP,
        [
            ("GET /users/", "list_users", 2),
            ("GET /users/{id}", "UserEndpoint.get", 3),
            ("PUT /users/{id}", "UserEndpoint.put", 3),
            ("GET /v1/deep/x", "(inline)", 13),
            ("POST /late", "late", 16),
            ("WEBSOCKET /ws", "socket", 17),
        ],
    ),
    "django: included lists, REST framework's routers": (
        "shop/urls.py",
        DJANGO_PROJECT,
        [
            ("ANY /api/books/", "views.BookViewSet", 5),
            ("ANY /credit/reports/", "credit.report", 8),
            (r"ANY /credit/charge/(?P<id>\d+)/$", "credit.Charge", 9),
            ("ANY /", "views.home", 13),
            ("ANY /shop/cart/", "cart.show", 15),
            ("ANY /shop/pay/", "cart.pay", 15),
            ("ANY /admin/", "admin.site.urls", 17),
            ("ANY ^long/name/$", "views.long", 18),
            ("ANY /late/", "views.late", 20),
        ],
    ),
    "aiohttp: tables, lists, sub-applications": (
        "app.py",
        AIOHTTP_APP,
        [
            ("GET /hello", "hello", 3),
            ("GET /things", "Things.get", 6),
            ("POST /things", "Things.post", 6),
            ("GET /sub/x", "handlers.x", 12),
            ("ANY /sub/any", "anything", 12),
            ("GET /sub/v", "Things.get", 12),
            ("POST /sub/v", "Things.post", 12),
            ("GET /plain", "plain", 15),
            ("PUT /put", "put", 16),
        ],
    ),
    "tornado": (
        "app.py",
        TORNADO_APP,
        [
            ("GET /", "Main.get", 7),
            ("POST /", "Main.post", 7),
            ("ANY /story/([0-9]+)", "handlers.Story", 8),
        ],
    ),
    "sanic": (
        "app.py",
        SANIC_APP,
        [
            ("GET /things/", "things", 3),
            ("POST /things/", "things", 3),
            ("WEBSOCKET /things/feed", "feed", 6),
            ("GET /show", "show", 11),
        ],
    ),
    "bottle": (
        "app.py",
        BOTTLE_APP,
        [
            ("GET /hello/<name>", "hello", 3),
            ("PUT /a", "both", 6),
            ("PUT /b", "both", 6),
            ("GET /plain", "plain", 9),
        ],
    ),
    "what only looks like a route": ("test_app.py", NEGATIVES, []),
    "a parameter hides a router": ("app.py", PARAMETER, [("GET /inner", "inner", 4)]),
    "a name with two values": ("app.py", REASSIGNED, []),
    "routers in a circle are no route": ("app.py", CIRCLE, []),
}


@pytest.mark.parametrize("path, text, expected", CASES.values(), ids=CASES.keys())
def test_python_routes_have_method_whole_path_handler_and_line(
    path: str, text: str, expected: list[tuple[str, str, int]]
) -> None:
    assert found(path, text, "route") == expected
