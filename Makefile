# Every target does its own set-up: a virtual environment in .venv with pinned packages.
PYTHON ?= python3
BIN := .venv/bin

.PHONY: demo test lint bench docs clean

demo: .venv/ready
	rm -rf demo
	$(BIN)/tokumei demo -o demo
	@echo "Open $(CURDIR)/demo/report.html in a browser."

# One process more than processors: some tests wait for servers and browsers.
test: .venv/ready
	tools/system-packages
	$(BIN)/pytest -n $$(($$(nproc) + 1)) --dist worksteal

lint: .venv/ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: .venv/ready
	$(BIN)/python -m bench

docs: .venv/ready
	$(BIN)/sphinx-build -W --keep-going -q -b html docs docs/_build/html
	@echo "Open $(CURDIR)/docs/_build/html/index.html in a browser."

clean:
	rm -rf .venv demo docs/_build docs/reference

.venv/ready: pyproject.toml constraints.txt tools/make-venv
	PYTHON="$(PYTHON)" tools/make-venv
	$(BIN)/pip install --quiet --constraint constraints.txt --editable '.[dev]'
	touch $@
