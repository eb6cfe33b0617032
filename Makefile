PYTHON ?= python3
BIN := .venv/bin

.PHONY: setup demo fix check test test-all bench size

setup: .venv/ready

.venv/ready: pyproject.toml constraints.txt
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet -c constraints.txt --editable '.[dev]'
	touch $@

demo: setup
	$(BIN)/anyzero train --preset breakthrough --run demo --minutes 3

fix: setup
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

check: setup
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

# Rewritten tests and our own modules are kept as bytecode, or every worker and child process compiles them again.
test test-all: export PYTHONDONTWRITEBYTECODE =

test: setup
	$(BIN)/pytest -n 3 --dist loadgroup --no-loadscope-reorder

test-all: setup
	$(BIN)/pytest -n 3 --dist loadgroup --no-loadscope-reorder -m ''

bench: setup
	$(BIN)/python benchmarks/run.py

size:
	@for folder in src/anyzero/core/*/ src/anyzero/*/ src tests benchmarks; do \
	  printf '%7d lines %4d files  %s\n' $$(find $$folder -name '*.py' | xargs cat | wc -l) $$(find $$folder -name '*.py' | wc -l) $$folder; done
