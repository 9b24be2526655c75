"""Routes of JavaScript's and TypeScript's frameworks: mounts, plugins, decorators, and files as routes."""

from __future__ import annotations

import pytest

from tests.support.codemap import Case, found

EXPRESS_APP = """\
const express = require('express')
const app = express()
const users = express.Router()
const BASE = '/v2'

users.get('/', auth, users.list)
users.route('/:id').get(show).put(auth(update))
users.get(['/a', '/b'], both)
app.use('/users', limiter, users)
app.get(`${BASE}/status`, (req, res) => res.send('ok'))
app.get(`${config.base}/computed`, nobody)
app.get(/^\\/re$/, regex)
app.get('setting')
app.all('*', notFound)

class Server {
  routes() {
    this.app.post('/login', this.login.bind(this))
    this.app.delete('/session', wrap(async (req, res) => {}))
  }
}
"""

FASTIFY_APP = """\
const fastify = require('fastify')({ logger: true })

async function api (instance, opts) {
  instance.get('/items', { schema }, listItems)
  instance.route({ method: ['PUT', 'PATCH'], url: '/items/:id', handler: save })
  instance.post('/short', { handler: short })
}

fastify.register(api, { prefix: '/api' })
fastify.register(async (scope) => {
  scope.head('/ping', async () => ({}))
}, { prefix: '/inner' })
fastify.route({ method: 'GET', url: '/own', handler (request, reply) {} })
fastify.inject({ method: 'GET', url: '/request' })
"""

NEST = """\
import { Controller, Get, Post } from '@nestjs/common';

const PATH = 'cats';

@Controller(PATH)
export class CatsController {
  @Get()
  findAll() {}

  @Get([':id', 'by-id/:id'])
  @UseGuards(AuthGuard)
  async findOne(@Param('id') id: string) {}

  @Post('/new')
  create() {}

  helper() {}
}

@Controller({ path: ['a', 'b'], version: '1' })
class Both {
  @All('x') any() {}
}

@Injectable()
class NotAController {
  @Get('nothing') get() {}
}
"""

KOA = """\
const Router = require('@koa/router')
const router = new Router({ prefix: '/books' })
const deep = new Router()

router.get('/:id', books.show).del('/:id', books.remove)
deep.patch('/x', save)
router.use('/deep', deep.routes())
app.use(router.routes())
"""

HONO = """\
import { Hono } from 'hono'
const books = new Hono()
  .get('/', list)
  .post('/', (c) => c.json({}))
const app = new Hono().basePath('/api')
app.route('/books', books)
app.get('/health', health)
"""

HAPI = """\
server.route([
  { method: 'GET', path: '/a', handler: a },
  { method: '*', path: '/{any*}', handler: (request, h) => h.response() },
]);
"""

CLIENTS = """\
axios.get('/users', { params });
api.post('/users', body);
$.get('/users', done);
const app = useApp();
request(app).get('/users', callback);
http.get('/handler', resolver);
cache.get('/x', fallback);
const instance = axios.create();
instance.get('/x', config);
app.get('/x', 'title');
function send (client) {
  client.post('/x', done);
}
"""

INERTIA = """\
import { router } from '@inertiajs/react'
router.post('/users', values)
"""

ROUTE_FILE = """\
import { NextRequest } from 'next/server'

export const dynamic = 'force-dynamic'

export async function GET(request: NextRequest) {}

export const POST = withAuth(async () => {})
const handler = async () => {}
export { handler as PUT, handler as PATCH }
export const { DELETE } = handlers
function HEAD() {}
"""

PAGE = """\
export const metadata = {}

export default function UserPage({ params }) { return <p/> }
"""

API_PAGE = "const handler = (req, res) => {}\nexport default handler\n"

CASES: dict[str, Case] = {
    "express": (
        "app.js",
        EXPRESS_APP,
        [
            ("GET /users/", "users.list", 6),
            ("GET /users/:id", "show", 7),
            ("PUT /users/:id", "update", 7),
            ("GET /users/a", "both", 8),
            ("GET /users/b", "both", 8),
            ("GET /v2/status", "(inline)", 10),
            (r"GET /^\/re$/", "regex", 12),
            ("ANY *", "notFound", 14),
            ("POST /login", "Server.login", 18),
            ("DELETE /session", "(inline)", 19),
        ],
    ),
    "fastify": (
        "app.js",
        FASTIFY_APP,
        [
            ("GET /api/items", "listItems", 4),
            ("PUT /api/items/:id", "save", 5),
            ("PATCH /api/items/:id", "save", 5),
            ("POST /api/short", "short", 6),
            ("HEAD /inner/ping", "(inline)", 11),
            ("GET /own", "(inline)", 13),
        ],
    ),
    "nest": (
        "cats.controller.ts",
        NEST,
        [
            ("GET /cats", "CatsController.findAll", 7),
            ("GET /cats/:id", "CatsController.findOne", 10),
            ("GET /cats/by-id/:id", "CatsController.findOne", 10),
            ("POST /cats/new", "CatsController.create", 14),
            ("ANY /a/x", "Both.any", 22),
            ("ANY /b/x", "Both.any", 22),
        ],
    ),
    "koa": (
        "app.js",
        KOA,
        [
            ("GET /books/:id", "books.show", 5),
            ("DELETE /books/:id", "books.remove", 5),
            ("PATCH /books/deep/x", "save", 6),
        ],
    ),
    "hono": (
        "app.ts",
        HONO,
        [
            ("GET /api/books/", "list", 3),
            ("POST /api/books/", "(inline)", 4),
            ("GET /api/health", "health", 7),
        ],
    ),
    "hapi": ("app.js", HAPI, [("GET /a", "a", 2), ("ANY /{any*}", "(inline)", 3)]),
    "requests of clients": ("client.js", CLIENTS, []),
    "requests of a browser's router": ("page.jsx", INERTIA, []),
    "next: handlers": (
        "src/app/(shop)/users/[id]/route.ts",
        ROUTE_FILE,
        [
            ("GET /users/[id]", "GET", 5),
            ("POST /users/[id]", "POST", 7),
            ("PUT /users/[id]", "handler", 9),
            ("PATCH /users/[id]", "handler", 9),
            ("DELETE /users/[id]", "DELETE", 10),
        ],
    ),
    "next: a page of the app folder": (
        "app/@modal/users/[...slug]/page.tsx",
        PAGE,
        [("GET /users/[...slug]", "UserPage", 3)],
    ),
    "next: a page of the pages folder": ("web/pages/users/index.jsx", PAGE, [("GET /users", "UserPage", 3)]),
    "next: an endpoint of the pages folder": (
        "pages/api/users/[id].ts",
        API_PAGE,
        [("ANY /api/users/[id]", "handler", 2)],
    ),
    "next: what wraps pages is none": ("pages/_app.tsx", PAGE, []),
    "next: private folders have no routes": ("app/_lib/page.tsx", PAGE, []),
    "a component is no page": ("src/pages/UserList.tsx", PAGE, []),
}


@pytest.mark.parametrize("path, text, expected", CASES.values(), ids=CASES.keys())
def test_script_routes_have_method_whole_path_handler_and_line(
    path: str, text: str, expected: list[tuple[str, str, int]]
) -> None:
    assert found(path, text, "route") == expected
