# Every target makes the virtual environment first where it is missing or older than its pins.
PYTHON ?= python3
VENV ?= .venv
JOBS ?= 2
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
PIP := $(BIN)/python -m pip --disable-pip-version-check install --quiet -c constraints.txt

# Small tensors gain nothing from threads, and one thread sums in one order.
export OMP_NUM_THREADS := 1

.PHONY: help venv demo test slow lint format docs clean

help:
	@echo "make venv    make $(VENV) with the pinned development set"
	@echo "make demo    rewrite examples/policy.py as a dry run: patch, verdict, break counts"
	@echo "make test    run the tests"
	@echo "make slow    run the slow tests"
	@echo "make lint    ruff, ruff format and mypy --strict"
	@echo "make format  sort imports and format"
	@echo "make docs    write docs/rules from the rules' docstrings"
	@echo "make clean   remove $(VENV) and everything built"

venv: $(STAMP)

# The build requirement is installed first and used without isolation, so that it is pinned like everything else.
$(STAMP): constraints.txt pyproject.toml setup.py
	@echo "Installing the development set into $(VENV) (torch is large; the first time takes a while)" >&2
	@$(PYTHON) -m venv $(VENV)
	@$(PIP) setuptools
	@$(PIP) --no-build-isolation -e '.[dev]'
	@touch $@

demo: $(STAMP)
	@$(BIN)/refactor apply examples/policy.py --factory make_callable --inputs make_inputs --dry-run

test: $(STAMP)
	@$(BIN)/python -m pytest -n $(JOBS) --dist loadgroup

slow: $(STAMP)
	@$(BIN)/python -m pytest -m slow

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/python tools/typecheck.py

format: $(STAMP)
	$(BIN)/ruff check --fix-only .
	$(BIN)/ruff format .

docs: $(STAMP)
	@$(BIN)/python tools/generate_rule_docs.py

clean:
	rm -rf $(VENV) build dist torch_refactor.egg-info .hypothesis .mypy_cache .pytest_cache .ruff_cache
