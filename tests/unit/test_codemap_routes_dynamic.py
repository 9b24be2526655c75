"""Routes of PHP, Ruby and of functions in the cloud: groups, attributes, resources, namespaces, events."""

from __future__ import annotations

import pytest

from tests.support.codemap import Case, found

LARAVEL = """\
<?php
Route::controller(OrderController::class)->prefix('orders')->group(function () {
    Route::get('/{id}', 'show');
    Route::post('/', 'store');
});
Route::resource('photos.comments', CommentController::class)->only(['index', 'show']);
Route::apiResource('categories', CategoryController::class)->except('destroy');
Route::get('/plain', fn () => 1);
Route::view('/about', 'pages.about');
Http::get('/request', []);
"""

SYMFONY = """\
<?php
namespace App\\Controller;

#[Route('/blog', name: 'blog_')]
class BlogController extends AbstractController
{
    private const LIST = '/list';

    #[Route(self::LIST, name: 'list', methods: ['GET', 'HEAD'])]
    public function list(): Response {}

    #[Route(path: ['en' => '/about-us', 'nl' => '/over-ons'])]
    public function about() {}

    /**
     * Says more.
     *
     * @Route("/old/{id}", name="old", methods={"POST"})
     */
    public function old() {}

    #[Required]
    public function setLogger() {}
}

#[Route('/invoke', methods: ['PUT'])]
class Invokable
{
    public function __invoke() {}
}
"""

SLIM = """\
<?php
$app->get('/', HomeController::class . ':index');
$app->group('/users', function (RouteCollectorProxy $group) {
    $group->get('', [UserController::class, 'list']);
    $group->group('/{id}', function ($group) {
        $group->delete('', UserController::class)->add($auth);
    });
});
$app->map(['GET', 'POST'], '/books', 'BookController');
$app->any('/any', function () {});
$client->get('/request', $options);
$this->post('/test', ['name' => 'x']);
$conf->get('general.title', 'x');
"""

LUMEN = """\
<?php
$router->group(['prefix' => 'admin', 'middleware' => 'auth'], function () use ($router) {
    $router->get('/users', 'AdminController@users');
});
"""

SINATRA = """\
require "sinatra"

PREFIX = "/v1"

get "/" do
  erb :index
end

class Api < Sinatra::Base
  namespace PREFIX do
    post "/items/:id" do |id| end

    namespace "/deep" do
      delete ".json" do end
    end
  end

  get %r{/hello/(\\w+)} do end

  def fetch
    get "/not" do end
  end

  get "/no block"
  client.get("/request") { }
end
"""

RAILS = """\
Rails.application.routes.draw do
  scope "/:locale" do
    get "help", to: "pages#help"
  end
  scope module: "v2", path: "two" do
    resources :cars, only: :index
  end
  namespace :admin, path: "manage" do
    root to: "home#show"
    resources :users, param: :slug do
      get :preview
      member { patch "lock", "unlock" }
      collection do
        match :search, via: %i[get post]
      end
    end
  end
  resource :account, controller: "me", only: [:show, :update] do
    resources :keys, only: [:destroy]
  end
  controller :sessions do
    get "login" => :new
  end
  get "/redirect", to: redirect("/x")
  post "/legacy", :controller => "old", :action => "make", :as => "legacy"
  mount Sidekiq::Web => "/sidekiq"
  mount Blog::Engine, at: "/blog"
  concern :commentable do
    resources :comments
  end
  constraints subdomain: "api" do
    match "/any", to: "any#any", via: :all
  end
end
"""

RAILS_PART = """\
resources :widgets, only: %w[index]
"""

SERVERLESS = """\
service: shop
functions:
  hello:
    handler: src/hello.handler
    events:
      - http: GET /hello
      - http:
          path: users/{id}
          method: put
      - httpApi: "*"
      - schedule: rate(1 hour)
  computed:
    handler: src/x.handler
    events:
      - http: ${self:custom.path}
"""

SAM = """\
Resources:
  Hello:
    Type: AWS::Serverless::Function
    Properties:
      Handler: app.handler
      Events:
        Api:
          Type: HttpApi
          Properties:
            Path: /hello
            Method: get
        Tick:
          Type: Schedule
  Bucket:
    Type: AWS::S3::Bucket
"""

CASES: dict[str, Case] = {
    "serverless": (
        "serverless.yml",
        SERVERLESS,
        [
            ("GET /hello", "src/hello.handler", 6),
            ("PUT /users/{id}", "src/hello.handler", 7),
            ("ANY *", "src/hello.handler", 10),
        ],
    ),
    "sam": ("template.yaml", SAM, [("GET /hello", "app.handler", 7)]),
    "laravel": (
        "routes/web.php",
        LARAVEL,
        [
            ("GET /orders/{id}", "OrderController@show", 3),
            ("POST /orders", "OrderController@store", 4),
            ("GET /photos/{photo}/comments", "CommentController@index", 6),
            ("GET /photos/{photo}/comments/{comment}", "CommentController@show", 6),
            ("GET /categories", "CategoryController@index", 7),
            ("POST /categories", "CategoryController@store", 7),
            ("GET /categories/{category}", "CategoryController@show", 7),
            ("PUT|PATCH /categories/{category}", "CategoryController@update", 7),
            ("GET /plain", "(inline)", 8),
            ("GET /about", "pages.about", 9),
        ],
    ),
    "symfony": (
        "src/Controller/BlogController.php",
        SYMFONY,
        [
            ("GET /blog/list", "BlogController.list", 9),
            ("HEAD /blog/list", "BlogController.list", 9),
            ("ANY /blog/about-us", "BlogController.about", 12),
            ("ANY /blog/over-ons", "BlogController.about", 12),
            ("POST /blog/old/{id}", "BlogController.old", 18),
            ("PUT /invoke", "Invokable.__invoke", 26),
        ],
    ),
    "slim": (
        "public/index.php",
        SLIM,
        [
            ("GET /", "(inline)", 2),
            ("GET /users", "UserController@list", 4),
            ("DELETE /users/{id}", "UserController", 6),
            ("GET /books", "BookController", 9),
            ("POST /books", "BookController", 9),
            ("ANY /any", "(inline)", 10),
        ],
    ),
    "lumen": ("routes/web.php", LUMEN, [("GET /admin/users", "AdminController@users", 3)]),
    "sinatra": (
        "app.rb",
        SINATRA,
        [
            ("GET /", "(inline)", 5),
            ("POST /v1/items/:id", "(inline)", 11),
            ("DELETE /v1/deep.json", "(inline)", 14),
            (r"GET %r{/hello/(\w+)}", "(inline)", 18),
        ],
    ),
    "rails": (
        "config/routes.rb",
        RAILS,
        [
            ("GET /:locale/help", "pages#help", 3),
            ("GET /two/cars", "v2/cars#index", 6),
            ("GET /manage", "admin/home#show", 9),
            ("GET /manage/users", "admin/users#index", 10),
            ("GET /manage/users/new", "admin/users#new", 10),
            ("POST /manage/users", "admin/users#create", 10),
            ("GET /manage/users/:slug", "admin/users#show", 10),
            ("GET /manage/users/:slug/edit", "admin/users#edit", 10),
            ("PATCH /manage/users/:slug", "admin/users#update", 10),
            ("PUT /manage/users/:slug", "admin/users#update", 10),
            ("DELETE /manage/users/:slug", "admin/users#destroy", 10),
            ("GET /manage/users/:user_slug/preview", "admin/users#preview", 11),
            ("PATCH /manage/users/:slug/lock", "admin/users#lock", 12),
            ("PATCH /manage/users/:slug/unlock", "admin/users#unlock", 12),
            ("GET /manage/users/search", "admin/users#search", 14),
            ("POST /manage/users/search", "admin/users#search", 14),
            ("GET /account", "me#show", 18),
            ("PATCH /account", "me#update", 18),
            ("PUT /account", "me#update", 18),
            ("DELETE /account/keys/:id", "keys#destroy", 19),
            ("GET /login", "sessions#new", 22),
            ("GET /redirect", "(inline)", 24),
            ("POST /legacy", "old#make", 25),
            ("ANY /sidekiq", "Sidekiq::Web", 26),
            ("ANY /blog", "Blog::Engine", 27),
            ("ANY /any", "any#any", 32),
        ],
    ),
    "rails: a part of the routes": (
        "config/routes/widgets.rb",
        RAILS_PART,
        [("GET /widgets", "widgets#index", 1)],
    ),
    "ruby without routes": ("lib/client.rb", 'get "/x" do end\nresources :a\n', []),
}


@pytest.mark.parametrize("path, text, expected", CASES.values(), ids=CASES.keys())
def test_dynamic_routes_have_method_whole_path_handler_and_line(
    path: str, text: str, expected: list[tuple[str, str, int]]
) -> None:
    assert found(path, text, "route") == expected
