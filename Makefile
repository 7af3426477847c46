# `make demo` shows the main job, `make test` runs every check, `make bench` compares. Everything else is a tool:
# `python -m tools.NAME --help`, of which CONTRIBUTING says when to use it.
# All need python3 (3.11 or newer) with pip, and a package index; they leave nothing outside this folder.

PYTHON ?= python3
BIN := .venv/bin
MAKE_SURE_OF = @$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed, this is " \
	+ sys.version.split()[0] + "; try: make PYTHON=python3.12 ...")' && $(PYTHON) -m tools.environment
# Three on two cores: some tests wait for a process.
export WORKERS ?= 3

.PHONY: demo test quick thorough bench clean

demo:  ## run the nine parsers on recorded model outputs, two envelopes, and a committee on a recorded dossier
	$(MAKE_SURE_OF) cli
	@$(BIN)/llm-output demo
	@echo
	@$(BIN)/llm-output envelope examples/cowriting/damaged.txt
	@$(BIN)/llm-output envelope examples/cowriting/broken.txt --repair --replay examples/cowriting/repair.jsonl
	@echo
	@rm -rf .cache/committee-demo
	@$(BIN)/python -m examples.committee run examples/committee/dossier.json \
		--replay examples/committee/recording.jsonl --out .cache/committee-demo
	@echo "The report: $(CURDIR)/.cache/committee-demo/report.html"

test:  ## run every check, in about five minutes on two cores
	$(MAKE_SURE_OF) dev
	@$(BIN)/python -m tools.check test

quick:  ## what most changes need, in a minute: lint, types, imports and the fast tests
	$(MAKE_SURE_OF) dev
	@$(BIN)/python -m tools.check quick

thorough:  ## in an hour: the core under coverage, and every test at its full length, of which `make test` takes a sample
	$(MAKE_SURE_OF) dev
	@$(BIN)/python -m tools.check thorough

bench:  ## side by side with other libraries in a quarter of an hour; QUICK=1 in a few minutes, and fails where a row became slower (STORE=1 starts afresh)
	$(MAKE_SURE_OF) bench $(if $(shell command -v npm),bench-node)
	@.cache/bench/bin/python -m tools.benchmarks.run $(if $(QUICK),--quick) $(if $(STORE),--store) $(if $(SIZES),--sizes $(SIZES))

clean:  ## remove the environment and every cache
	rm -rf .venv .cache .coverage .mypy_cache .pytest_cache .ruff_cache .import_linter_cache
