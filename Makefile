# Every target does its own set-up: a virtual environment in .venv with pinned packages.
PYTHON ?= python3
BIN := .venv/bin

.PHONY: demo test lint bench docs clean

demo: .venv/installed
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

# Beside peers, which have environments of their own: not all of them work with our packages.
bench: .venv-peers/ready
	.venv-peers/main/bin/python -m bench

docs: .venv/ready
	$(BIN)/sphinx-build -W --keep-going -q -b html docs docs/_build/html
	@echo "Open $(CURDIR)/docs/_build/html/index.html in a browser."

clean:
	rm -rf .venv .venv-peers demo docs/_build docs/reference

# What users install, without the tools of developers.
.venv/installed: pyproject.toml constraints.txt tools/make-venv
	PYTHON="$(PYTHON)" tools/make-venv
	@echo "Installing packages into .venv takes a minute or two."
	$(BIN)/pip install --quiet --constraint constraints.txt --editable '.[contest]'
	touch $@

.venv/ready: pyproject.toml constraints.txt tools/make-venv
	PYTHON="$(PYTHON)" tools/make-venv
	$(BIN)/pip install --quiet --constraint constraints.txt --editable '.[dev]'
	touch $@ .venv/installed

.venv-peers/ready: .venv/ready bench/peers/main.txt bench/peers/k_anonymity.txt bench/peers/risk.txt
	for name in main k_anonymity risk; do $(BIN)/python -m venv .venv-peers/$$name || exit; done
	.venv-peers/main/bin/pip install --quiet --constraint constraints.txt \
		--requirement bench/peers/main.txt pandas pytest --editable '.[exact,mining]'
	.venv-peers/k_anonymity/bin/pip install --quiet --requirement bench/peers/k_anonymity.txt
	.venv-peers/risk/bin/pip install --quiet --requirement bench/peers/risk.txt
	touch $@
