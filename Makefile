# Each target does its own set-up: Python >= 3.11 and make are all a machine needs.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

# Pure tests of rules and matches: no server, no browser. Those marked `slow` are left to `make test`.
UNIT_TESTS := tests/domain tests/contract
# Where a game has tests of its own, or cases that bear its name.
GAME_TESTS := tests/domain tests/contract tests/golden tests/service/web
QUICK := not slow and not full and not soak and not browser

# The tests start hundreds of Python processes. Without cached bytecode, each would compile the code again.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help install install-dev browser run lint unit test check soak bench audit lock clean

help:
	@echo "make run      serve everything on this machine and print the address"
	@echo "make unit     the quick pure tests of rules and matches (under 30 s)"
	@echo "make test     the whole test suite, browser included, at small counts (10 to 14 minutes on two cores)"
	@echo "make test GAME=mice_cake   the quick tests of one game: rules, contract, goldens, pages (about 15 s)"
	@echo "make check    the same at full counts (under an hour)"
	@echo "make lint     ruff, mypy, import contracts, plain English"
	@echo "make bench    the hot paths, compared with floors and peers; BENCH='edge pages' runs some parts,"
	@echo "              BENCH=--record writes docs/performance.md"
	@echo "make soak     the whole service under faults; SOAK_MINUTES=5 SOAK_SEED=1 set the length and the first seed,"
	@echo "              SOAK_KEEP=folder keeps the raw records"
	@echo "make audit    known vulnerabilities in the locked packages; fails without a network"
	@echo "make install  only the environment;  make lock  updates the locked dependencies"

$(BIN)/python:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Crumbtrail needs Python 3.11 or newer")'
	$(PYTHON) -m venv $(VENV)

$(VENV)/runtime.done: requirements/runtime.txt pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/runtime.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	touch $@

$(VENV)/dev.done: requirements/dev.txt $(VENV)/runtime.done
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/dev.txt
	touch $@

install: $(VENV)/runtime.done

install-dev: $(VENV)/dev.done

browser:
	@sh tests/browser/install_chromium.sh

run: install
	$(BIN)/crumbtrail up

lint: install-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python -m tools.plain_english

unit: install-dev
	$(BIN)/python -m pytest -n 2 --dist worksteal -q -m "$(QUICK)" $(UNIT_TESTS)

ifdef GAME
test: install-dev
	$(BIN)/python -m pytest -n 2 --dist worksteal -q -m "$(QUICK)" -k "$(GAME)" $(GAME_TESTS)
else
test: install-dev browser
	$(BIN)/python -m pytest -n 3 --dist worksteal -m "not full and not soak"
endif

check: install-dev browser
	$(BIN)/python -m pytest -n 2 --dist worksteal -m "full"

soak: install-dev
	$(BIN)/python -m pytest --hypothesis-profile=exploring -m "soak"

bench: install-dev
	$(BIN)/python -m bench $(BENCH)

audit: install-dev
	$(BIN)/python requirements/audit.py

lock:
	uv pip compile --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header -q \
		pyproject.toml -o requirements/runtime.txt
	uv pip compile --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header -q \
		pyproject.toml --extra dev -c requirements/runtime.txt -o requirements/dev.txt
	uv pip compile --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header -q \
		bench/peers/requirements.in -o bench/peers/requirements.txt

clean:
	rm -rf $(VENV) .peers .pytest_cache .mypy_cache .ruff_cache
