# Two commands matter: `make demo` and `make test`. Each installs what it needs into .venv first.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
READY  := $(VENV)/.ready
DATA   ?=

# With it, each process that the tests start would compile all sources again.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo demo-web screenshots test quick laws soundness fuzz faults leaks mutants coverage sanitize wheel test-browser test-spark lint format bench bench-quick bench-peers scale docs clean

# The kernels are compiled here; they are built again when a source of theirs changes.
KERNELS := setup.py $(wildcard src/shoal/*/_kernels/*.p* src/shoal/*/*/_kernels/*.p*)

# Python compiles what it imports; to compile every file of every package would take as long as to install it.
PIP     := $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile
INSTALL := SHOAL_KERNELS=keep $(PIP) --no-build-isolation --editable

# What builds the kernels is installed first; the rest is installed while they are compiled.
define install
	$(PYTHON) -c 'import sys; sys.exit("shoal needs Python 3.11 or newer. Got " + sys.version.split()[0] + ". Try: make PYTHON=python3.12") if sys.version_info < (3, 11) else None'
	$(PYTHON) -m venv $(VENV)
	$(PIP) 'cython>=3.2,<4' 'setuptools>=77'
	$(BIN)/python setup.py --quiet build_ext --inplace & built=$$!; $(INSTALL) '.[$(1)]'; installed=$$?; wait $$built && exit $$installed
	touch $@
endef

$(READY): pyproject.toml $(KERNELS)
	$(call install,dev)

$(VENV)/.demo: pyproject.toml $(KERNELS)
	$(call install,report)

demo: $(if $(wildcard $(READY)),$(READY),$(VENV)/.demo)
	@began=$$(date +%s); $(BIN)/python -m shoal.cli.demo; code=$$?; echo "The demo took $$(($$(date +%s) - began)) s."; exit $$code

$(VENV)/.demo-web: pyproject.toml $(KERNELS)
	$(call install,web)

# Nothing is installed twice: the tests need all that the web app needs.
demo-web: $(if $(wildcard $(READY)),$(READY),$(VENV)/.demo-web)
	$(BIN)/python -m shoal serve example:village

lint: $(READY)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(READY)
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

# Each of the two processes has a core; threads of linear algebra would wait for each other, at ten times the cost.
test quick laws: export OPENBLAS_NUM_THREADS := 1

# Lint needs one core for a while; it runs beside the tests, and is shown after them.
test: $(READY)
	@$(MAKE) --no-print-directory lint >.lint.log 2>&1 & lint=$$!; \
	$(BIN)/pytest -n 2 --dist worksteal; tests=$$?; \
	wait $$lint; lint=$$?; cat .lint.log; rm -f .lint.log; exit $$((tests || lint))

quick: $(READY)
	$(BIN)/pytest -n 2 --dist worksteal -m "not slow" tests

# The tests that draw cases, with five times as many: in the laws that is every graph with up to seven vertices.
TIMES ?= 5
laws: $(READY)
	SHOAL_TEST_TIMES=$(TIMES) $(BIN)/pytest -n 2 --dist worksteal $$(grep -lrE --include='test_*.py' 'draw_cases|@given|TIMES' tests)

# Long runs that are no part of the tests. They end with 1 if anything failed; SEED=N repeats a run.
MINUTES ?= 10
SEED    ?=
KILLS   ?= 1000
SEEDED  := $(if $(SEED),--seed $(SEED))

# Random data, every count judged by definitions written a second time; failures are saved in build/soundness.
soundness: $(READY)
	@PYTHONPATH=tests OPENBLAS_NUM_THREADS=1 $(BIN)/python -m soundness --minutes $(MINUTES) --jobs 2 $(SEEDED)

# Every reader gets hostile and changed files; those that fail are kept in build/fuzz.
fuzz: $(READY)
	$(BIN)/python tests/fuzzing --minutes $(MINUTES) --jobs 2 $(SEEDED)

# Writing commands that are killed, meet full disks, odd targets and each other; then leaks and connections. Some cases
# need root (small disks, no network) and are left out otherwise.
FAULTS := PYTHONPATH=tests $(BIN)/python -m faults $(SEEDED)
faults: $(READY)
	$(FAULTS) --kills $(KILLS)

leaks: $(READY)
	$(FAULTS) leaks network

# Random faults in the source of a package; its tests must notice 9 of 10 (PACKAGE: risk, levels, verification, linkage or relational).
PACKAGE ?= risk
COUNT   ?= 500
mutants coverage: export OPENBLAS_NUM_THREADS := 1
mutants: $(READY)
	$(BIN)/python tests/quality/mutants.py $(PACKAGE) --count $(COUNT) --seed $(or $(SEED),1)

# Lines and branches that the tests of the same packages reach; at least 95 % of each package.
coverage: $(READY)
	$(BIN)/python tests/quality/reached.py $(if $(filter command line,$(origin PACKAGE)),$(PACKAGE))

# Kernels with checks of memory, overflow and bounds; Python itself leaks on purpose, so leaks are not looked for.
sanitize: $(READY)
	rm -rf build/sanitized && mkdir -p build/sanitized && cp -r src/shoal build/sanitized/ && find build/sanitized -name '*.so' -delete
	SHOAL_SANITIZE=1 $(BIN)/python setup.py --quiet build_ext --build-lib build/sanitized --build-temp build/sanitized-objects
	LD_PRELOAD="$$($(CC) -print-file-name=libasan.so) $$($(CC) -print-file-name=libubsan.so)" ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=print_stacktrace=1 \
	PYTHONPATH=build/sanitized $(BIN)/python -m pytest -p no:xdist tests/kernels

wheel: $(READY)
	rm -rf dist build/wheel-check
	$(BIN)/python -m build --quiet --outdir dist .
	$(PYTHON) -m venv build/wheel-check
	build/wheel-check/bin/python -m pip install --quiet --disable-pip-version-check dist/*.whl
	cd build && wheel-check/bin/shoal risk example:karate --knows orbit --knows neighbors:2
	@ls -l dist

test-browser: $(READY)
	$(INSTALL) '.[dev,browser]'
	command -v chromium >/dev/null || { apt-get update -qq && apt-get install -qq -y chromium >/dev/null; } || echo "No chromium could be installed; name another browser: SHOAL_BROWSER=/path/to/it"
	$(BIN)/pytest -rs tests/program/test_browser.py tests/web/test_web_*.py

# Tests of engines run in Spark, too: on two cores, and on a cluster of two executors that are processes of their own.
test-spark: $(READY)
	$(INSTALL) '.[dev,spark]'
	command -v java >/dev/null || { apt-get update -qq && apt-get install -qq -y openjdk-17-jre-headless >/dev/null; }
	SHOAL_TEST_SPARK='local[2]' $(BIN)/pytest -rs -p no:xdist tests/relational -k spark

bench: $(READY)
	$(INSTALL) '.[dev,bench]'
	$(BIN)/python -m benchmarks.peers pycanon suda
	$(BIN)/python -m benchmarks $(if $(DATA),--data $(DATA))

# Other tools at the same work, each in an environment of its own in .peers; PEER_OPTIONS names programs by their paths.
bench-peers: $(READY)
	$(BIN)/python -m benchmarks.peers_table $(if $(DATA),--data $(DATA)) $(PEER_OPTIONS)

# A guard against slow-downs, by ratios to a peer that is measured in the same run.
bench-quick: $(READY)
	$(BIN)/python -m benchmarks.quick

# How time and memory grow, from 10^4 to 10^7 links; SCALE_OPTIONS='--most 1e6 --seconds 60' takes less, --huge more.
scale: $(READY)
	$(BIN)/python -m benchmarks.scaling $(SCALE_OPTIONS)

# Pictures of the web app for the docs; they need a browser.
screenshots: $(READY)
	$(INSTALL) '.[dev,browser]'
	$(BIN)/python docs/web_pictures.py

docs: $(READY)
	$(INSTALL) '.[dev,docs]'
	$(BIN)/python docs/pictures.py
	$(BIN)/python docs/build.py
	$(BIN)/python docs/api/build.py
	$(BIN)/python -m sphinx -W --keep-going -q -b html -d build/doctrees docs site
	@echo "The site is in site/index.html; it needs no network."

clean:
	rm -rf $(VENV) .peers demo site build dist .mypy_cache .ruff_cache .import_linter_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
