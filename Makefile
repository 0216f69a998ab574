# `make demo` runs a whole box office here, `make test` proves that it works.
# Both need python3 (3.11 or newer, with venv and pip) and make; the rest they set up themselves.

PYTHON ?= python3
BIN := .venv/bin
SOURCES := $(shell git ls-files -co --exclude-standard -- '*.py' ':!:*/migrations/*' 2>/dev/null)
TEMPLATES := $(shell git ls-files -co --exclude-standard -- '*.html' 2>/dev/null)
LOCK := uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-header \
	--no-emit-index-url --no-emit-find-links $(if $(UPGRADE),--upgrade)
# Enough for production's settings to load; what they say about safety is what is looked at.
PRODUCTION := DJANGO_SETTINGS_MODULE=ticketing.settings.production ALLOWED_HOSTS=example.org \
	SECRET_KEY=only-for-looking-at-the-settings-0123456789-abcdefghijklmnop \
	DATABASE_URL=postgres://localhost/nowhere VALKEY_URL=valkey://localhost:1/0 \
	STRIPE_SECRET_KEY=sk_test_nobody STRIPE_WEBHOOK_SECRET=whsec_nobody

.DEFAULT_GOAL := help
.PHONY: help demo test test-deep test-long lint bench lock clean

help: ## say what can be made
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1|\2/p' $(MAKEFILE_LIST) | awk -F'|' '{printf "%-18s %s\n", $$1, $$2}'

demo: .venv/.locked ## run everything here and say where; PORT=8010 chooses the port
	@$(BIN)/python manage.py demo $(if $(PORT),--port=$(PORT))

test: .venv/.locked ## run the tests, but for those that take long; ARGS="-k hold" goes to pytest
	@$(BIN)/python -m pytest $(ARGS)

test-deep: .venv/.locked ## run the tests that take a while
	@$(BIN)/python -m pytest -m deep $(ARGS) || [ $$? -eq 5 ]

test-long: .venv/.locked ## kill processes at every step, let thousands buy, try every order: half an hour
	@$(BIN)/python -m pytest -m long $(ARGS)

bench: .venv/.locked ## measure speed against the limits of the parts; ONLY=hold picks one
	@$(BIN)/python -m tests.bench $(ONLY)

lint: .venv/.locked ## check style, types, floors, templates, migrations, settings, locks
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	@# From its cache, mypy's Django plugin reports managers that it cannot resolve.
	$(BIN)/mypy --no-incremental .
	@$(BIN)/lint-imports --no-logo
	$(if $(TEMPLATES),@$(BIN)/djade --target-version 5.2 --check $(TEMPLATES))
	$(if $(TEMPLATES),@$(BIN)/djlint --lint --quiet $(TEMPLATES))
	@$(BIN)/django-upgrade --target-version 5.2 --check $(SOURCES)
	$(BIN)/codespell
	@$(BIN)/python -W ignore::RuntimeWarning manage.py makemigrations --check --dry-run
	@$(PRODUCTION) $(BIN)/python manage.py check --deploy --fail-level WARNING
	@! grep -nE '://|--(extra-)?index|--find-links' requirements/*.txt || \
		{ echo "A lock may name no registry: make it again with make lock"; exit 1; }

lock: var/tools/bin/uv ## compile requirements/*.in to hash-locked *.txt; UPGRADE=1 takes what is new
	var/tools/bin/$(LOCK) requirements/base.in -o requirements/base.txt
	var/tools/bin/$(LOCK) requirements/dev.in -o requirements/dev.txt

clean: ## forget all data of the demo and the tests, and every cache
	@$(PYTHON) ticketing/embedded/forget.py
	@rm -rf .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis
	@find . -name __pycache__ -not -path './.venv/*' -prune -exec rm -rf {} +

.venv/.locked: requirements/dev.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
		echo "Ticketing needs Python 3.11 or newer, and $(PYTHON) is $$($(PYTHON) --version 2>&1)."; \
		echo "Name another one: make $(MAKECMDGOALS) PYTHON=python3.12"; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' || { \
		echo "$(PYTHON) cannot make environments (Debian: apt-get install python3-venv)."; exit 1; }
	@cmp -s requirements/dev.txt $@ || { \
		echo "Installing packages into .venv (once; again only when requirements/dev.txt changes)…"; \
		$(PYTHON) -m venv .venv && $(BIN)/python -m pip install -qq --disable-pip-version-check \
			--require-hashes --only-binary :all: -r requirements/dev.txt; }
	@cp requirements/dev.txt $@

var/tools/bin/uv:
	@$(PYTHON) -m venv var/tools
	@var/tools/bin/pip install -qq --disable-pip-version-check uv
