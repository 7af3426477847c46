# Two commands do everything: `make demo` shows the main job, `make test` runs every check. `make bench` compares.
# Both need python3 (3.11 or newer) with pip, and a package index; both leave nothing outside this folder.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# The machine's pip, which need not be in an environment (Debian's python3 has no ensurepip), brings uv alone; uv installs the rest
# in a tenth of the time, from the index that pip asks.
UV := .cache/uv
INDEX = $(or $(PIP_INDEX_URL),$(shell $(PYTHON) -m pip config get global.index-url 2>/dev/null))
INSTALL = $(UV)/bin/uv pip install --quiet $(if $(INDEX),--default-index '$(INDEX)')
MINUTES ?= 1
SEED ?= 1
WORKERS ?= 2
SYSTEM_PYTHON ?= /usr/bin/python3
SYSTEM := .cache/system/$(subst /,_,$(SYSTEM_PYTHON))
BENCH := .cache/bench
CALLS := .cache/calls
PLAYGROUND := .cache/playground
INSTRUCTOR := .cache/instructor
PYTEST = $(BIN)/pytest --numprocesses=$(WORKERS) --dist=worksteal --basetemp=.cache/pytest
# What some tests need besides the environment; without it they are skipped and say so.
PARTS := $(INSTRUCTOR)/env.stamp $(if $(shell command -v npm),.cache/axe/npm.stamp playground-parts)
# The platform of the wheels that Pyodide 314 loads.
BROWSER := pyemscripten_2026_0_wasm32

# Bytecode is kept, so that the many processes of the tests do not compile the same files again.
unexport PYTHONDONTWRITEBYTECODE

export PIP_DISABLE_PIP_VERSION_CHECK := 1
export PIP_CACHE_DIR := $(CURDIR)/.cache/pip
export UV_CACHE_DIR := $(CURDIR)/.cache/uv-cache
# As pip does: the certificates of the system, where a company has put its own.
export UV_SYSTEM_CERTS := 1
export HYPOTHESIS_STORAGE_DIRECTORY := $(CURDIR)/.cache/hypothesis

.PHONY: compiled playground-parts size help demo test system quick thorough lint types imports tests format audit bench calls bulk service hostile-service stream frameworks parsers tokens ugly screenshots fuzz attack notations hostile reference mutate wheels playground dist hosts lock clean

help:  ## list the targets
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/' | expand -t 10

demo: $(VENV)/cli.stamp  ## run the nine parsers on recorded model outputs, two envelopes, and a committee on a recorded dossier
	@$(BIN)/llm-output demo
	@echo
	@$(BIN)/llm-output envelope examples/cowriting/damaged.txt
	@$(BIN)/llm-output envelope examples/cowriting/broken.txt --repair --replay examples/cowriting/repair.jsonl
	@echo
	@rm -rf .cache/committee-demo
	@$(BIN)/python -m examples.committee run examples/committee/dossier.json --replay examples/committee/recording.jsonl \
		--out .cache/committee-demo
	@echo "The report: $(CURDIR)/.cache/committee-demo/report.html"

test:  ## run every check, in about eleven minutes on two cores
	@$(MAKE) --no-print-directory --jobs=2 --output-sync=target types lint imports system $(PARTS) compiled
	@$(MAKE) --no-print-directory tests PARTS=

lint: $(VENV)/dev.stamp  ## ruff: all rules, and formatting
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/dev.stamp  ## mypy, strict
	$(BIN)/mypy

imports: $(VENV)/dev.stamp  ## import-linter: the boundaries of the hexagon
	$(BIN)/lint-imports --no-cache

compiled: $(VENV)/dev.stamp  # what the tests import, once, where each worker would compile all of it
	@$(BIN)/pytest --collect-only -qq > /dev/null

size: $(VENV)/dev.stamp  ## count lines and files of Python, and the classes and functions of src
	@$(BIN)/python -m tools.size

quick: lint types imports  ## what most changes need, in a minute: lint, types, imports and the fast tests
	@mkdir -p .cache
	$(BIN)/pytest --numprocesses=$(WORKERS) --dist=worksteal --basetemp=.cache/pytest-quick -q -r fE \
		-m 'not slow and not browser and not tesseract'

thorough: $(VENV)/dev.stamp  ## every test at its full length, in half an hour: what `make test` takes a sample of
	@mkdir -p .cache
	THOROUGH=1 $(PYTEST) --timeout=3600

tests: $(VENV)/dev.stamp $(PARTS)  ## pytest on two cores: the core's under coverage, to the last branch, then all others
	@mkdir -p .cache
	@echo 'First the tests of the core, half of the time. The percentage shows how far they are; make quick takes a minute.'
	$(PYTEST) -m traced --cov --cov-report=
	$(BIN)/coverage report --fail-under=100
	@echo 'Now all others, for as long again.'
	$(PYTEST) -m 'not traced'

audit: .cache/audit/env.stamp  ## look up known vulnerabilities of everything that the lock files pin
	.cache/audit/env/bin/python requirements/audit.py

.cache/audit/env.stamp: requirements/audit.txt | $(UV)/bin/uv
	$(call environment,.cache/audit/env,requirements/audit.txt)

system: $(VENV)/dev.stamp  ## read the recorded texts with the system's Python too (Debian 12's reads expressions otherwise), or say why not
	@why="$$($(BIN)/python -m tests.recorded_readings.system_python $(SYSTEM_PYTHON))"; if [ "$$why" ]; then echo "$$why"; else \
		$(MAKE) --no-print-directory $(SYSTEM)/env.stamp && $(SYSTEM)/bin/python -m tests.recorded_readings --check; fi

$(SYSTEM)/env.stamp: requirements/core.txt | $(UV)/bin/uv
	$(call environment,$(SYSTEM),requirements/core.txt,$(SYSTEM_PYTHON))

format: $(VENV)/dev.stamp  ## let ruff fix and format
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

fuzz: .cache/fuzz/env.stamp  ## fuzz the parser, e.g. `make fuzz MINUTES=5`
	PYTHONPATH=. .cache/fuzz/env/bin/python fuzz/fuzz_llm_json.py -max_total_time=$$(($(MINUTES) * 60)) \
		-max_len=4096 -timeout=10 -artifact_prefix=.cache/fuzz/ .cache/fuzz/corpus

.cache/fuzz/env.stamp: requirements/fuzz.txt | $(UV)/bin/uv
	$(call environment,.cache/fuzz/env,requirements/fuzz.txt)

attack: $(VENV)/dev.stamp  ## attack the parser with damaged texts, cuts, calls, duels, parts, repairs and streams, e.g. `make attack MINUTES=5 SEED=7`
	$(BIN)/python -m attack all --minutes $(MINUTES) --seed $(SEED)

notations: $(VENV)/dev.stamp  ## damage and cut a call in each notation of tool calls, put a wrong sign at each place, and count what is read, in two minutes
	$(BIN)/python -m attack.notations

hostile: $(VENV)/dev.stamp  ## read texts and schemas composed at random, ever longer: time, memory, exceptions, e.g. `make hostile MINUTES=20 SEED=7`
	$(BIN)/python -m attack hostile --minutes $(MINUTES) --seed $(SEED)

reference: $(VENV)/dev.stamp  ## compare the parser with a slow reader that tries every reading, e.g. `make reference COUNT=2000 SEED=7`
	$(BIN)/python -m tests.reference_reader --count $(or $(COUNT),1000) --seed $(SEED)

mutate: $(VENV)/dev.stamp  ## change the code and the expressions that read, and see whether a test notices, e.g. `make mutate COUNT=30 SEED=1`
	$(BIN)/python -m mutation --count $(or $(COUNT),30) --seed $(SEED)

bench: $(BENCH)/bench.stamp $(if $(shell command -v npm),.cache/npm/npm.stamp)  ## side by side with other libraries in a quarter of an hour; QUICK=1 in a few minutes, and fails where a row became slower (STORE=1 starts afresh)
	$(BENCH)/bin/python -m benchmarks.run $(if $(QUICK),--quick) $(if $(STORE),--store) $(if $(SIZES),--sizes $(SIZES))

screenshots: $(VENV)/dev.stamp  ## pictures of the four pages at two widths into .cache/screenshots, and what is wrong with them; needs Debian's chromium
	$(BIN)/python -m tests.screenshots .cache/screenshots

ugly: $(BENCH)/bench.stamp  ## write the table of both READMEs: five ugly texts, read by this parser and by json_repair, instructor and BAML
	$(BENCH)/bin/python -m benchmarks.ugly

calls: $(CALLS)/calls.stamp $(BENCH)/bench.stamp  ## measure what a typed call adds to a bare one, here and with other libraries, in two minutes
	$(CALLS)/bin/python -m benchmarks.calls --write

bulk: $(BENCH)/bench.stamp  ## measure `llm-output batch` beside bare loops, and its memory, in ten minutes; SIZES=5GB measures the memory alone
	$(BENCH)/bin/python -m benchmarks.bulk $(if $(SIZES),--repeats 0 --sizes $(SIZES))

service: $(VENV)/dev.stamp  ## measure the service under two hundred connections beside the bare parser, in five minutes; needs wrk, e.g. `make service SECONDS=10`
	$(BIN)/python -m benchmarks.service $(if $(SECONDS),--seconds $(SECONDS))

hostile-service: $(VENV)/dev.stamp  ## measure the service for honest clients beside hostile ones, in three minutes; needs wrk, e.g. `make hostile-service SECONDS=10`
	$(BIN)/python -m benchmarks.service_hostile $(if $(SECONDS),--seconds $(SECONDS))

stream: $(BENCH)/bench.stamp  ## measure answers that come in pieces beside other libraries, in a quarter of an hour; one of them needs PYTHON=python3.12 BENCH=.cache/bench-3.12
	$(BENCH)/bin/python -m benchmarks.streaming $(if $(SIZES),--sizes $(SIZES))

frameworks: $(BENCH)/bench.stamp  ## read recorded outputs with the parsers of other frameworks, alone and with ours, in a minute
	$(BENCH)/bin/python -m benchmarks.frameworks

parsers: $(VENV)/dev.stamp  ## read tool calls in texts with other libraries, in a minute; they are looked for in a folder, e.g. `make parsers PEERS=.cache/parsers`
	$(BIN)/python -m benchmarks.tool_call_parsers $(if $(PEERS),--peers $(PEERS))

tokens: $(BENCH)/bench.stamp  ## count what types and replies cost in several forms
	$(BENCH)/bin/python -m benchmarks.tokens

wheels: $(VENV)/cli.stamp  ## build the wheel into dist
	$(BIN)/python -m hatchling build --target wheel --directory dist

playground: $(VENV)/cli.stamp $(PLAYGROUND)/parts.stamp  ## build into dist/playground the page in which the parser runs, for any web server
	$(BIN)/python -m playground.build dist/playground

dist: $(VENV)/cli.stamp $(UV)/bin/uv  ## build the wheel and the sources into dist, and try the wheel in two environments, with and without extras
	rm -rf dist .cache/dist
	$(MAKE) wheels
	$(BIN)/python -m hatchling build --target sdist --directory dist
	$(PYTHON) -m venv --without-pip .cache/dist/all
	$(INSTALL) --python .cache/dist/all/bin/python --require-hashes --requirement requirements/cli.txt
	$(INSTALL) --python .cache/dist/all/bin/python --no-deps --no-index dist/llm_output-*.whl
	cd .cache/dist && all/bin/llm-output --version && all/bin/llm-output demo > demo.txt && tail -n 1 demo.txt
	$(PYTHON) -m venv --without-pip .cache/dist/parser
	$(INSTALL) --python .cache/dist/parser/bin/python --require-hashes --requirement requirements/core.txt
	$(INSTALL) --python .cache/dist/parser/bin/python --no-deps --no-index dist/llm_output-*.whl
	cd .cache/dist && parser/bin/python -c 'import llm_output; print(llm_output.decode_llm_json("{ok: True,}").data)'

hosts: $(VENV)/dev.stamp $(UV)/bin/uv  ## install the wheel with each extra, on each Python found here, into a project with its own package src, and run the pages, in an hour, e.g. `make hosts PYTHONS=python3.13`
	rm -rf .cache/hosts
	$(BIN)/python -m hatchling build --target wheel --directory .cache/hosts/wheel
	$(BIN)/python -m tests.packaging.hosts .cache/hosts/wheel/*.whl .cache/hosts $(PYTHONS) -- $(INSTALL)

lock: $(UV)/bin/uv  ## pin every requirement with its hashes, for every Python from 3.11 on
	$(UV)/bin/uv pip compile $(LOCK_FLAGS) pyproject.toml --output-file requirements/core.txt
	$(UV)/bin/uv pip compile $(LOCK_FLAGS) pyproject.toml --extra cli --extra llm --group build --output-file requirements/cli.txt
	$(UV)/bin/uv pip compile $(LOCK_FLAGS) pyproject.toml $(DEV_EXTRAS:%=--extra %) --group dev --output-file requirements/dev.txt
	$(UV)/bin/uv pip compile $(LOCK_FLAGS) pyproject.toml --extra instructor --group instructor --output-file requirements/instructor.txt
	$(UV)/bin/uv pip compile $(LOCK_FLAGS) pyproject.toml --group fuzz --output-file requirements/fuzz.txt
	$(UV)/bin/uv pip compile $(LOCK_FLAGS) pyproject.toml --group bench --output-file requirements/bench.txt
	$(UV)/bin/uv pip compile $(LOCK_FLAGS) pyproject.toml --extra llm --group calls --output-file requirements/calls.txt
	$(UV)/bin/uv pip compile $(LOCK_FLAGS) pyproject.toml --extra serve --extra postgres --group build --output-file requirements/serve.txt
	$(UV)/bin/uv pip compile $(LOCK_FLAGS) pyproject.toml --group audit --output-file requirements/audit.txt
	$(UV)/bin/uv pip compile $(LOCK_FLAGS) --group install --output-file requirements/uv.txt

# All of them but `instructor`, which does not allow the jiter that openai wants.
DEV_EXTRAS := bulk cli fastapi json-schema langchain llama-index llm openai otel postgres providers pydantic-ai ray serve visual-rag

# Extras are pinned too: pip takes `a[b]>=1` for another package than `a==1`, and refuses the newest that it finds.
LOCK_FLAGS := --quiet --no-strip-extras --universal --python-version 3.11 --generate-hashes --no-annotate --no-emit-index-url \
	--no-emit-find-links --custom-compile-command 'make lock'

# A folder, the requirements that go into it, and the Python of it.
define environment
	$(or $(3),$(PYTHON)) -m venv --without-pip $(1)
	$(INSTALL) --python $(1)/bin/python --require-hashes --requirement $(2)
	@touch $@
endef

$(UV)/bin/uv: requirements/uv.txt
	$(PYTHON) -m venv --without-pip $(UV)
	$(PYTHON) -m pip --python $(UV)/bin/python install --quiet --require-hashes --requirement $<
	@touch $@

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed, this is " + sys.version.split()[0] + "; try: make PYTHON=python3.12 ...")'
	$(PYTHON) -m venv --without-pip $(VENV)

$(VENV)/cli.stamp: requirements/cli.txt pyproject.toml | $(BIN)/python $(UV)/bin/uv
	$(INSTALL) --python $(BIN)/python --require-hashes --requirement requirements/cli.txt
	$(INSTALL) --python $(BIN)/python --no-deps --no-build-isolation --editable .
	@touch $@

$(VENV)/dev.stamp: requirements/dev.txt pyproject.toml | $(BIN)/python $(UV)/bin/uv
	$(INSTALL) --python $(BIN)/python --require-hashes --requirement requirements/dev.txt
	$(INSTALL) --python $(BIN)/python --no-deps --no-build-isolation --editable .
	@touch $@

# The other libraries have an environment of their own: none of them is a requirement of the project.
$(BENCH)/bench.stamp: requirements/bench.txt | $(UV)/bin/uv
	$(call environment,$(BENCH),requirements/bench.txt)

$(CALLS)/calls.stamp: requirements/calls.txt | $(UV)/bin/uv
	$(call environment,$(CALLS),requirements/calls.txt)

$(INSTRUCTOR)/env.stamp: requirements/instructor.txt pyproject.toml | $(UV)/bin/uv
	$(call environment,$(INSTRUCTOR),requirements/instructor.txt)

# Without its parts the tests of the playground are skipped and say so.
playground-parts:
	@$(MAKE) $(PLAYGROUND)/parts.stamp || echo 'the parts of the playground cannot be fetched: its tests will be skipped'

# Only where npm is there; without axe-core the tests of accessibility are skipped and say so.
.cache/axe/npm.stamp: tests/npm/package.json tests/npm/package-lock.json
	mkdir -p $(@D)
	cp $^ $(@D)
	npm ci --prefix $(@D) --cache .cache/npm-cache --ignore-scripts --no-audit --no-fund && touch $@ \
		|| echo 'axe-core cannot be installed: the tests of accessibility will be skipped'

# The browser's Python from npm, and the wheels of what the parser needs, as they are built for it.
$(PLAYGROUND)/parts.stamp: playground/npm/package.json playground/npm/package-lock.json requirements/core.txt
	mkdir -p $(@D)
	rm -rf $(@D)/wheels
	cp playground/npm/package.json playground/npm/package-lock.json $(@D)
	npm ci --prefix $(@D) --cache .cache/npm-cache --ignore-scripts --no-audit --no-fund
	$(PYTHON) -m pip download --quiet --no-deps --require-hashes --only-binary=:all: --platform $(BROWSER) --implementation cp \
		--python-version 3.14 --abi cp314 --dest $(@D)/wheels --requirement requirements/core.txt
	@touch $@

# Only where node is there; the benchmark names what is absent.
.cache/npm/npm.stamp: benchmarks/npm/package.json benchmarks/npm/package-lock.json
	mkdir -p $(@D)
	cp $^ $(@D)
	npm ci --prefix $(@D) --cache .cache/npm-cache --ignore-scripts --no-audit --no-fund
	@touch $@

clean:  ## remove the environment and every cache
	rm -rf $(VENV) .cache .coverage .mypy_cache .pytest_cache .ruff_cache .import_linter_cache
