PYTHON ?= python3
BIN := .venv/bin

.PHONY: setup demo fix check test test-all bench size

setup: .venv/ready

.venv/ready: pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --editable '.[train,cuda,dev]'
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

test: setup
	$(BIN)/pytest -n 2 --dist loadgroup

test-all: setup
	$(BIN)/pytest -n 2 --dist loadgroup -m ''

bench: setup
	$(BIN)/python benchmarks/run.py

size:
	@find src tests benchmarks -name '*.py' | xargs wc -l | sort -n
