# Two commands do everything: `make run` shows Brain at work, `make test` is all that CI runs.
VENV  := .venv
BIN   := $(VENV)/bin
STAMP := $(VENV)/.installed
PYTHON ?= python3

.PHONY: run test test-slow bench format install clean

install: $(STAMP)

$(STAMP): constraints.txt pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit("Brain needs Python 3.11 or newer; set PYTHON=/path/to/python3.11") if sys.version_info < (3, 11) else None'
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@echo "installing the pinned dependencies (once; about three minutes)"
	$(BIN)/python -m pip install -qq --no-compile --disable-pip-version-check -c constraints.txt -e '.[dev]'
	@touch $(STAMP)

run: $(STAMP)
	@$(BIN)/brain demo

test: $(STAMP)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/pytest -n 2 --dist loadgroup -m "not slow"

test-slow: $(STAMP)
	$(BIN)/pytest -m slow

bench: $(STAMP)
	$(BIN)/python -m bench

format: $(STAMP)
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

clean:
	@test ! -x $(BIN)/brain || $(BIN)/brain stop
	rm -rf $(VENV) .brain
