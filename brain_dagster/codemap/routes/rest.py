"""The routes that a resource stands for, in the order in which the frameworks list them.

Source  Rails, Routing from the Outside In, section 2.2; Laravel, Controllers, "Actions Handled by Resource
        Controllers". Rails lists PATCH and PUT for `update`; both are kept there, Laravel's are written
        `PUT|PATCH` as one.
"""

from __future__ import annotations

# Action, method, path behind the collection's; `{}` is the item's parameter.
LARAVEL_ACTIONS = (
    ("index", "GET", ""),
    ("create", "GET", "/create"),
    ("store", "POST", ""),
    ("show", "GET", "/{}"),
    ("edit", "GET", "/{}/edit"),
    ("update", "PUT|PATCH", "/{}"),
    ("destroy", "DELETE", "/{}"),
)
LARAVEL_API_ACTIONS = tuple(action for action in LARAVEL_ACTIONS if action[0] not in ("create", "edit"))

RAILS_ACTIONS = (
    ("index", "GET", ""),
    ("new", "GET", "/new"),
    ("create", "POST", ""),
    ("show", "GET", "/{}"),
    ("edit", "GET", "/{}/edit"),
    ("update", "PATCH", "/{}"),
    ("update", "PUT", "/{}"),
    ("destroy", "DELETE", "/{}"),
)
# `resource :profile` is one thing: it has no index, and no parameter names it.
RAILS_SINGULAR_ACTIONS = tuple(
    (action, method, path.replace("/{}", "")) for action, method, path in RAILS_ACTIONS if action != "index"
)
