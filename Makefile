# `make help` lists what there is. Needs Python 3.11 or newer and make; the rest is fetched by pip.

.DEFAULT_GOAL := help
# Two pips at once would spoil the one environment.
.NOTPARALLEL:
.PHONY: help app notebooks pages docs site test coverage test-slow test-lowest test-pre lint bench load audit reproduce tsunami-table clean python

VENV := .venv
BIN := $(VENV)/bin
LOWEST := .venv-lowest
PRE := .venv-pre

# The first interpreter that is new enough. Each is started: a pyenv shim can exist and not run.
PYTHON ?= $(shell for p in python3.11 python3.12 python3.13 python3; do \
  if $$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then echo $$p; break; fi; \
done)

# Extra arguments: make app ARGS='--port 5007', make test ARGS='-k kernels'.
ARGS =

# Settings of the caller's that would send packages, or imports, past the environment made here.
unexport PIP_CONSTRAINT PIP_PREFIX PIP_REQUIREMENT PIP_ROOT PIP_TARGET PIP_USER
unexport PYTHONHOME PYTHONPATH
# Without its caches Python would compile every module anew, in each worker and in each server.
unexport PYTHONDONTWRITEBYTECODE
PIP := $(BIN)/python -m pip --disable-pip-version-check

help:  ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## /  \1\t/p' Makefile | expand -t 16

app: $(VENV)/.installed-app  ## serve the dashboard on 127.0.0.1:5006
	@$(BIN)/ucbpe app --address 127.0.0.1 --port 5006 $(ARGS)

notebooks: $(VENV)/.installed-notebooks  ## open the seven chapters in JupyterLab
	@$(BIN)/python -m tools.notebooks lab $(ARGS)

pages: $(VENV)/.installed-notebooks  ## run the chapters and save them as pages, in build/notebooks
	@$(BIN)/python -m tools.notebooks render $(ARGS)

docs: $(VENV)/.installed-docs  ## write the documentation as a site, in build/docs, and check its links, its numbers and its spelling
	@$(BIN)/codespell
	@$(BIN)/python -m tools.facts
	@TQDM_DISABLE=1 OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(BIN)/python -m tools.docs build/docs $(ARGS)

site: $(VENV)/.installed-notebooks  ## write lessons and chapters for a static host
	@$(BIN)/python -m tools.notebooks render build/notebooks
	@$(BIN)/ucbpe site build/site --playground --chapters build/notebooks $(ARGS)

# Two workers with a multithreaded BLAS each would fight for the same cores: one thread each.
# Each file is run by one worker: its fixtures, and the servers of those in a browser, are made once.
PYTEST = chromium="$$($(BIN)/python tools/chromium.py --install $(BROWSER))" && UCBPE_CHROMIUM="$$chromium" \
  OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(BIN)/python -m pytest -n auto --dist loadfile --no-loadscope-reorder

test: $(VENV)/.installed-test  ## run every test but the slow ones, in a real browser too
	@$(PYTEST) -m "not slow" $(ARGS)

test-slow: BROWSER = --whole
test-slow: $(VENV)/.installed-test  ## run only the tests marked slow, and say how long each took
	@$(PYTEST) -m slow --durations=0 $(ARGS)

coverage: $(VENV)/.installed-test  ## lines and branches that `make test` runs; the list by module is build/coverage/index.html
	@mkdir -p build/coverage
	@$(PYTEST) -m "not slow" --cov --cov-config=pyproject.toml --cov-report= $(ARGS); outcome=$$?; \
	  $(BIN)/python -m coverage html -q -d build/coverage && $(BIN)/python -m coverage report | tail -1; exit $$outcome

# The wheel: the core and what of the app needs no browser, run where this checkout's packages are not.
# A deprecation is news to current versions only.
OF_THE_WHEEL := build/lowest
test-lowest: $(LOWEST)/.installed  ## run the core's tests, and some of the app's, on the wheel with the oldest packages
	@rm -rf $(OF_THE_WHEEL) && mkdir -p $(OF_THE_WHEEL)
	@$(LOWEST)/bin/python -m hatchling build -t wheel -d $(OF_THE_WHEEL) >/dev/null
	@$(LOWEST)/bin/python -m pip --disable-pip-version-check install -qq --no-user --no-deps --force-reinstall $(OF_THE_WHEEL)/*.whl
	@tar -c --exclude './.*' --exclude ./build --exclude ./ucbpe_core --exclude ./app . | tar -x -C $(OF_THE_WHEEL)
	@cd $(OF_THE_WHEEL) && OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(CURDIR)/$(LOWEST)/bin/python -m pytest -n auto --dist loadfile \
	  -o pythonpath=. -m "not slow" -W ignore::DeprecationWarning \
	  tests/core tests/app/pictures tests/app/render tests/app/widgets \
	  tests/app/test_main.py tests/app/run/test_replay.py tests/app/run/test_cache.py \
	  tests/app/serve/test_serve.py tests/app/widgets/test_session.py tests/app/run/test_settings.py \
	  tests/app/problem/sheets/test_workbook.py $(ARGS)

# Past the upper bounds of pyproject.toml, which pip remarks on. Upgraded each time: pre-releases change.
test-pre: BIN := $(PRE)/bin
test-pre: $(PRE)/.made  ## run every test but the slow ones with pre-releases; what fails is to be mended before they are out
	@$(PIP) install -qq --no-user --upgrade --pre -e '.[test]'
	@$(PIP) install -qq --no-user --upgrade --pre numpy scipy pandas panel panel-material-ui bokeh holoviews param cattrs optuna
	@$(PYTEST) -m "not slow" $(ARGS)

lint: $(VENV)/.installed-dev  ## ruff (rules and format), mypy, and which module may import which
	@$(BIN)/ruff check
	@$(BIN)/ruff format --check
	@$(BIN)/mypy
	@$(BIN)/lint-imports --no-cache --no-logo

# All with as many threads of BLAS: `make bench THREADS=2`. Tables are kept in benchmarks/results.
THREADS = 1

bench: $(VENV)/.installed-bench  ## run the benchmarks, one after the other
	@chromium="$$($(BIN)/python tools/chromium.py --install)" || exit 1; \
	for file in benchmarks/[!_]*.py; do \
	  echo "== $$file"; UCBPE_CHROMIUM="$$chromium" \
	  OMP_NUM_THREADS=$(THREADS) OPENBLAS_NUM_THREADS=$(THREADS) \
	  $(BIN)/python "$$file" $(ARGS) || exit 1; \
	done

load: $(VENV)/.installed-test  ## a class of 300 on one server: half an hour (ARGS='--seconds 60 ..' for less)
	@OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(BIN)/python -m benchmarks.load $(ARGS)

audit: $(VENV)/.installed-audit  ## ask the database of known vulnerabilities about the packages pinned
	@$(BIN)/python -m tools.audit $(ARGS)

reproduce: $(VENV)/.installed-test  ## run the paper's experiments again: two hours; UCBPE_DATA_DIR names the folder of abalone.data
	@OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(BIN)/python -m tools.reproduction --document docs/reproduction.md --document tools/reproduction/README.md $(ARGS)

tsunami-table: $(VENV)/.installed-tsunami  ## simulate what the Tsunami problem's table lacks
	@$(BIN)/python -m tools.tsunami table $(ARGS)

clean:  ## remove the environment and everything that tools left behind
	rm -rf $(VENV) $(LOWEST) $(PRE) build dist test-results .hypothesis .mypy_cache .pytest_cache .ruff_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

python:
	@echo '$(PYTHON)'

# An environment, and one of the lowest versions. A stamp for each set of packages, written only after
# pip succeeded, so that it is installed again when the pins or the project change and after an
# interruption.

$(VENV)/.made $(LOWEST)/.made $(PRE)/.made:
	@if ! '$(PYTHON)' -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then \
	  echo "make: expected Python 3.11 or newer, got '$(PYTHON)';" \
	       "install it, or name it: make PYTHON=/path/to/python3.11" >&2; exit 1; \
	fi
	@if ! '$(PYTHON)' -c 'import ensurepip, venv' 2>/dev/null; then \
	  echo "make: expected '$(PYTHON)' to have the modules venv and ensurepip, got one without;" \
	       "on Debian and Ubuntu: apt-get install python3-venv" >&2; exit 1; \
	fi
	@echo "Making $(@D) with $$('$(PYTHON)' --version)"
	@'$(PYTHON)' -m venv --clear $(@D)
	@touch $@

$(VENV)/.installed-app: EXTRA = [app]
$(VENV)/.installed-notebooks: EXTRA = [notebooks]
$(VENV)/.installed-test: EXTRA = [test]
$(VENV)/.installed-bench: EXTRA = [bench]
$(VENV)/.installed-dev: EXTRA = [dev]
$(VENV)/.installed-docs: EXTRA = [docs]
$(VENV)/.installed-tsunami: EXTRA = [tsunami]

$(VENV)/.installed-audit: $(VENV)/.made tools/packaging/constraints.txt
	@$(PIP) install -qq --no-user -c tools/packaging/constraints.txt pip-audit
	@touch $@

# All that .ci/run needs, by one pip instead of three.
$(VENV)/.installed-all: $(VENV)/.made pyproject.toml tools/packaging/constraints.txt
	@echo "Installing ucbpe[dev,docs,test] into $(VENV)"
	@$(PIP) install -qq --no-user -c tools/packaging/constraints.txt -e '.[dev,docs,test]'
	@touch $(VENV)/.installed-dev $(VENV)/.installed-docs $(VENV)/.installed-test $@

$(VENV)/.installed-%: $(VENV)/.made pyproject.toml tools/packaging/constraints.txt
	@echo "Installing ucbpe$(EXTRA) into $(VENV)"
	@$(PIP) install -qq --no-user -c tools/packaging/constraints.txt -e '.$(EXTRA)'
	@touch $@

$(LOWEST)/.installed: $(LOWEST)/.made pyproject.toml tools/packaging/constraints-lowest.txt
	@echo "Installing ucbpe and its lowest dependencies into $(LOWEST)"
	@$(LOWEST)/bin/python -m pip --disable-pip-version-check install -qq --no-user \
	  -c tools/packaging/constraints-lowest.txt -e '.[study,app,excel]' hatchling hypothesis ipython mpmath openpyxl pytest pytest-xdist scikit-learn
	@touch $@
