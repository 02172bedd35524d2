# Everything below needs GNU make, a POSIX shell and CPython 3.11 to 3.14; `make venv` brings the rest into .venv.

DEALS ?= 1000000
SEED ?= 1
NOTO ?= /usr/share/fonts/opentype/noto/NotoSansCJK-Regular.ttc
UV ?= uv
PYTHONS := python3.14 python3.13 python3.12 python3.11 python3 python

BIN := .venv/bin
RULESETS := liuzhou nanning_folk nanning_laiyouxi
SUFFIX := -$(DEALS)-seed-$(SEED)
ENGINE := $(shell find mjsim -name '*.py' -o -name '*.toml')

COMPARE := $(BIN)/mjsim compare liuzhou rob_kong=false chow=false liuzhou_no_third_party --deals $(DEALS) --seed $(SEED)
# Some thirty rulesets, each with a tenth of the deals.
SWITCH := $(BIN)/mjsim compare liuzhou --sensitivity --deals $(shell expr \( $(DEALS) + 9 \) / 10) --seed $(SEED)

# A pip of the user's, with the user's own settings; only its chatter is turned off.
PIP := PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_ROOT_USER_ACTION=ignore $(BIN)/python -m pip --quiet

.DELETE_ON_ERROR:
.SECONDEXPANSION:
.SECONDARY:
.NOTPARALLEL:
.PHONY: help venv report test check bench bench-peers guard font lock audit clean FORCE

help:
	@echo 'make report   simulate $(DEALS) deals of each ruleset, print the summaries, compare Liuzhou with variants,'
	@echo '              write reports/ with reports/index.html (DEALS=N and SEED=S change the runs)'
	@echo 'make test     the test suite with linters and type checker, under 10 minutes'
	@echo 'make check    the suite and the long campaigns, under an hour'
	@echo 'make bench    measure speed, start-up and memory, over half an hour; writes docs/speed.md (BENCH=--quick tries it)'
	@echo 'make bench-peers  other mahjong libraries on the same hands, in an environment of their own; writes docs/peers.md'
	@echo 'make venv     only set up .venv (PYTHON=... chooses the interpreter)'
	@echo 'make guard    whether the kernels cost more instructions than is written down (needs valgrind)'
	@echo 'make font     make the font of the reports anew (NOTO=... names NotoSansCJK-Regular.ttc)'
	@echo 'make lock     resolve the lock files anew with uv (LOCK_FLAGS=--upgrade for newer versions)'
	@echo 'make audit    look up known vulnerabilities of everything in the lock files, where the network allows'
	@echo 'make clean    remove .venv, runs and caches'

venv: .venv/mjsim.stamp

report: $(RULESETS:%=report-%)
	$(BIN)/mjsim report runs/liuzhou$(SUFFIX) --lang zh --out reports/liuzhou.zh.html
	$(COMPARE) --out reports/liuzhou_variants.html
	$(COMPARE) --lang zh --out reports/liuzhou_variants.zh.html
	$(SWITCH) --out reports/liuzhou_options.html
	$(SWITCH) --lang zh --out reports/liuzhou_options.zh.html
	$(BIN)/python -m analysis.report reports

report-%: runs/%$(SUFFIX).done .venv/mjsim.stamp
	$(BIN)/mjsim summary runs/$*$(SUFFIX)
	@mkdir -p reports
	$(BIN)/mjsim report runs/$*$(SUFFIX) --out reports/$*.html

test: .venv/dev.stamp
	$(BIN)/python -m pytest -n auto --dist worksteal

check: .venv/dev.stamp
	$(BIN)/python -m pytest -n auto --dist worksteal -m "campaign or not campaign"

# Close other programs first. BENCH takes options such as --quick, --only hands, --prototype DIR.
bench: .venv/dev.stamp
	$(BIN)/python -m benchmarks $(BENCH)
	$(if $(BENCH),,$(BIN)/python -m benchmarks.page)

bench-peers: .venv/dev.stamp .venv-peers/peers.stamp
	$(BIN)/python -m benchmarks.peers --python .venv-peers/bin/python
	$(BIN)/python -m benchmarks.peers.page

guard: .venv/dev.stamp
	$(BIN)/python -m benchmarks.guard

# NOTO is where Debian's fonts-noto-cjk has it.
font: .venv/dev.stamp
	$(BIN)/python -m analysis.fonts.build $(NOTO)

# A run is made again when the engine or a ruleset changed since, or when it was interrupted.
runs/%$(SUFFIX).done: $(ENGINE) $$(if $$(wildcard runs/$$*$(SUFFIX)/run.json),,FORCE) | .venv/mjsim.stamp
	rm -rf runs/$*$(SUFFIX)
	$(BIN)/mjsim simulate $* --deals $(DEALS) --seed $(SEED) --out runs/$*$(SUFFIX)
	@touch $@

# --- the virtual environment -----------------------------------------------------------------------------------------

define NO_PYTHON
mjsim needs CPython 3.11, 3.12, 3.13 or 3.14, and found none among: $(or $(PYTHON),$(PYTHONS)).
If one is installed elsewhere, name it: make PYTHON=/path/to/python3.12
endef

define NO_ENSUREPIP
has no ensurepip, so it cannot make a virtual environment. On Debian and Ubuntu: apt-get install python3-venv
(or python3.12-venv and the like, for a version of its own). Or name another one: make PYTHON=/path/to/python3.12
endef

export NO_PYTHON NO_ENSUREPIP

VERSION_FITS := import sys; sys.exit(not ((3, 11) <= sys.version_info[:2] <= (3, 14) and sys.implementation.name == "cpython"))

# The first interpreter that runs, fits and can make a virtual environment; $(PYTHON) alone, where it is given.
.venv/locked.stamp: requirements.lock
	@lame=''; \
	for python in $(or $(PYTHON),$(PYTHONS)); do \
	    "$$python" -c '$(VERSION_FITS)' 2>/dev/null || continue; \
	    "$$python" -c 'import ensurepip, venv' 2>/dev/null && break; \
	    lame="$${lame:-$$python}"; python=''; \
	done; \
	if ! "$$python" -c '$(VERSION_FITS)' 2>/dev/null; then \
	    if [ -n "$$lame" ]; then echo "$$lame $$NO_ENSUREPIP"; else echo "$$NO_PYTHON"; fi >&2; exit 1; \
	fi; \
	echo "Setting up .venv with $$("$$python" -V) ..."; \
	"$$python" -m venv --clear .venv
	@$(PIP) install --require-hashes --only-binary :all: -r requirements.lock
	@touch $@

.venv/mjsim.stamp: pyproject.toml .venv/locked.stamp
	@$(PIP) install --no-deps --no-build-isolation --editable .
	@touch $@

.venv/dev.stamp: requirements-dev.lock .venv/mjsim.stamp
	@echo 'Adding the test tools to .venv ...'
	@$(PIP) install --require-hashes --only-binary :all: -r requirements-dev.lock
	@touch $@

# One of the peers has no wheel and is built by a C++ compiler; another has wheels for few versions of Python.
.venv-peers/peers.stamp: requirements-peers.lock .venv/locked.stamp
	@echo 'Setting up .venv-peers, some 800 MB ...'
	@$(BIN)/python -m venv --clear .venv-peers
	@$(subst $(BIN),.venv-peers/bin,$(PIP)) install --require-hashes -r requirements-peers.lock
	@touch $@

# --- the lock files: every version once, for all platforms and Pythons, with hashes and without addresses ------------

LOCK_OPTIONS = --universal --python-version 3.11 --fork-strategy fewest --generate-hashes --no-emit-index-url \
	--no-annotate --no-header $(LOCK_FLAGS)
UV_COMPILE = $(UV) pip compile --quiet pyproject.toml --group build $(LOCK_OPTIONS)

lock:
	@command -v $(UV) >/dev/null || { echo 'make lock needs uv: pip install uv, or make lock UV=/path/to/uv' >&2; exit 1; }
	$(UV_COMPILE) --all-extras --output-file requirements-dev.lock >/dev/null
	$(UV_COMPILE) --extra report --constraint requirements-dev.lock --output-file requirements.lock >/dev/null
	$(UV) pip compile --quiet requirements-peers.txt $(LOCK_OPTIONS) --output-file requirements-peers.lock >/dev/null

# pip-audit and what it needs stay apart from what they look at.
audit: .venv/mjsim.stamp
	@$(BIN)/python -m venv .venv/audit
	@PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_ROOT_USER_ACTION=ignore .venv/audit/bin/python -m pip --quiet install pip-audit \
	    || { echo 'NOT AUDITED: pip-audit cannot be installed from here' >&2; exit 3; }
	@$(BIN)/python -m tests.supply.audit .venv/audit/bin/pip-audit requirements.lock requirements-dev.lock

clean:
	rm -rf .venv .venv-peers runs build dist *.egg-info .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
