# Reckon. `make help` lists the targets. All that is generated lies under _build/ and .venv/.
ifneq ($(shell uname -s),Linux)
$(error Reckon measures Linux; on $(shell uname -s) use a virtual machine or a container, as book/other-systems.md says)
endif
UNSAFE := $$ : % = ' " ( ) * ? & ; | < > ` \ ^
ifneq ($(strip $(word 2,$(CURDIR)) $(foreach sign,$(UNSAFE),$(findstring $(sign),$(CURDIR)))),)
$(error make takes no folder whose name has a space or a sign of the shell; move "$(CURDIR)" to another name)
endif
ifneq ($(shell test -e tools/setup && ! test -x tools/setup && echo refused),)
$(error nothing in "$(CURDIR)" may be executed, as where its file system is mounted with noexec; move it elsewhere)
endif

SHELL   := /bin/bash
PYTHON  ?= python3
VENV    := .venv
PY      := $(VENV)/bin/python
LIB     := _build/lib
LIB_OF_TESTS := _build/lib-tests
PORT    ?= 8000

# Options of the book reach the notebooks through the environment.
PROFILE ?=
FRESH   ?=
RUN     ?=
NO_APT  ?=
PAGES   ?=
PREDICTIONS ?=
BLIND   ?=
VOTES   ?=
OWN     ?=
AUTHOR ?=
COURSE ?=
SITE_URL ?=
# The other host of the network pages; without it one is made up in this machine. The token is better
# put into the environment than behind `make`, where every user of this machine sees it.
# (As they were written: a token may have a $ in it.)
export RECKON_PEER := $(or $(value PEER),$(value RECKON_PEER))
export RECKON_PEER_TOKEN := $(or $(value PEER_TOKEN),$(value RECKON_PEER_TOKEN))
export RECKON_LINK_RTT := $(or $(value LINK_RTT),$(value RECKON_LINK_RTT))
export RECKON_LINK_RATE := $(or $(value LINK_RATE),$(value RECKON_LINK_RATE))
# The NFS server of the page on remote files, HOST:/EXPORT; without it one runs on the built-in host.
export RECKON_NFS := $(or $(value NFS),$(value RECKON_NFS))
export RECKON_SCRATCH := $(or $(value SCRATCH),$(value RECKON_SCRATCH))
export RECKON_PROFILE = $(PROFILE)
export RECKON_FRESH   = $(FRESH)
export RECKON_RUN     = $(RUN)
export RECKON_PAGES   = $(PAGES)
# What the site's What if? panels gave: revisions, laid over the run.
export RECKON_PREDICTIONS = $(PREDICTIONS)
# The site covers what was measured until its reader has predicted it.
export RECKON_BLIND   = $(BLIND)
export RECKON_VOTES   = $(VOTES)
export RECKON_OWN     = $(OWN)
# On the title page of the PDFs. (As they were written.)
export RECKON_AUTHOR := $(or $(value AUTHOR),$(value RECKON_AUTHOR))
export RECKON_COURSE := $(or $(value COURSE),$(value RECKON_COURSE))
# Where a published site will be, for previews of links to it.
export RECKON_URL     = $(SITE_URL)
export NO_APT
# Work of numpy's own threads would be measured with ours.
export OMP_NUM_THREADS = 1
# All files are UTF-8, whatever the locale.
export PYTHONUTF8 = 1
# What Python has compiled is kept: pytest rewrites every file of tests, in each worker.
export PYTHONDONTWRITEBYTECODE =

# $(ALONE) FOLDER COMMAND...: two makes neither set up nor compile the same folder at once.
ALONE := sh -c 'exec 9< "$$0"; flock -n 9 || { echo "Waiting for another make." >&2; flock 9; }; exec "$$@"'

# An option or a target that is misspelt would be passed over, or make a riddle of a sentence.
OPTIONS := PROFILE FRESH RUN NO_APT PAGES PREDICTIONS BLIND VOTES OWN AUTHOR COURSE PEER PEER_TOKEN LINK_RTT \
  LINK_RATE NFS SCRATCH PORT PYTHON VENV TO EXPERIMENT A B CONTROL MINIMUM_CHANGE ALL TESTS PARTS \
  COUNT MESSAGES SEED PAGE LIB NAME FILE
space := $(subst ,, )
stated := $(foreach word,$(subst \$(space),_,$(MAKEOVERRIDES)),$(firstword $(subst =, ,$(word))))
# Of another make, below this one or a test, they are no options: csrc/Makefile has PARTS of its own.
MAKEOVERRIDES :=
unknown := $(filter-out $(OPTIONS) RECKON_%,$(stated))
# $(call nearest,NAME,KNOWN): the known name that is meant; none without Python.
nearest = $(shell $(PYTHON) -c "import difflib, sys; print(*difflib.get_close_matches(sys.argv[1], sys.argv[2:], 1))" '$(1)' $(2) 2>/dev/null)
$(foreach name,$(unknown),$(foreach meant,$(call nearest,$(name),$(OPTIONS)),\
  $(error There is no option $(name)=; did you mean $(meant)=?)))

.DEFAULT_GOAL := help
TARGETS := help book html instructor pdf publish measure exercise summary results compare doctor fleet-demo peer lab edit serve check \
  test nightly faults test-install lint setup setup-lab setup-fleet setup-dev lib lib-tests tex nfs lock schema expected record machines uninstall clean
.PHONY: $(TARGETS)

.DEFAULT:
	@echo "There is no target $@; $(or $(patsubst %,did you mean make %?,$(call nearest,$@,$(TARGETS))),\`make help\` lists them.)" >&2; exit 2

help: ## list the targets
	@echo "Reckon: predict what this machine should do, then measure it."
	@grep -E '^[a-z-]+:.*##' Makefile | sed -E 's/:[^#]*## /|/' | awk -F'|' '{printf "  make %-12s %s\n", $$1, $$2}'
	@echo "Options: PROFILE=quick|standard|full  FRESH=1 (measure again)  RUN=name  NO_APT=1  PREDICTIONS=predictions.toml"
	@echo 'For classes: BLIND=1 or BLIND="cpu/syscall/getpid memory/fault/minor" (readers predict these first)'
	@echo "         VOTES=2 (again after a discussion)  OWN=shown (Reckon's own prediction stays open)"
	@echo 'A part of the book: PAGES="cpu/* summary"'
	@echo 'Title page of the PDFs: AUTHOR="A. Student" COURSE="CSE 221"'
	@echo "Files: SCRATCH=folder (on the disk to be measured; /var/tmp)"
	@echo "Remote files: NFS=host:/export (with a file reckon-data there); without it a server of its own"
	@echo 'Network: PEER=host[:port] PEER_TOKEN=...  or  LINK_RTT="10 ms" LINK_RATE="100 Mbit/s"'

book: setup lib tex nfs ## execute the notebooks, make the site and the PDFs
	@$(PY) -m reckon build

html: setup lib nfs ## the same without the PDFs
	@$(PY) -m reckon build --html

instructor: setup lib nfs ## the site with the solutions of all exercises, for teachers, below _build/instructor
	@RECKON_INSTRUCTOR=1 $(PY) -m reckon build --html

pdf: setup lib tex nfs ## the same without the site: the report and the full record, for print
	@$(PY) -m reckon build --pdf

publish: setup lib tex nfs ## make the site and copy it for a static host, with names hashed: make publish TO=folder RUN=name SITE_URL=https://...
	@test -n "$(TO)" || { echo "Say where: make publish TO=folder" >&2; exit 2; }
	@$(PY) -m reckon build --publish "$(TO)"

measure: setup lib ## measure one experiment again: make measure EXPERIMENT=cpu/syscall
	@test -n "$(EXPERIMENT)" || { echo "Say which: make measure EXPERIMENT=cpu/syscall" >&2; exit 2; }
	@$(PY) -m reckon measure "$(EXPERIMENT)"

exercise: setup lib ## check a solution of a project: make exercise NAME=zeros FILE=mine.c; alone: list them
	@$(PY) tools/exercise "$(NAME)" $(if $(FILE),"$(FILE)")

summary: setup lib ## print the main results of the run on one page
	@$(PY) -m reckon summary $(if $(RUN),--run $(RUN))

results: setup lib ## print every quantity of the run
	@$(PY) -m reckon results $(EXPERIMENT) $(if $(RUN),--run $(RUN))

compare: setup ## what changed between two runs: make compare A=before B=after [CONTROL= MINIMUM_CHANGE=5 ALL=1]; alone: list them
	@$(PY) -m reckon compare $(if $(A)$(B),"$(A)" "$(B)") $(if $(CONTROL),--control "$(CONTROL)") $(if $(MINIMUM_CHANGE),--minimum-change "$(MINIMUM_CHANGE)") $(if $(ALL),--all)

# Runs on a machine that has nothing yet, and installs nothing.
IS_SET_UP = $(wildcard $(VENV)/ready)
doctor: ## say what is missing on this machine, and whether it is fit to be measured
	@tools/setup doctor $(PYTHON)
	@$(if $(IS_SET_UP),echo "Is this machine fit to be measured?",\
	  echo "After \`make setup\`, \`make doctor\` also checks whether this machine is fit to be measured.")
	@$(if $(IS_SET_UP),$(MAKE) --no-print-directory lib)
	@$(if $(IS_SET_UP),$(PY) -m reckon doctor)

fleet-demo: setup-fleet lib ## measure three hosts in namespaces of this machine, and name the outlier among twelve (root)
	@$(PY) tools/fleet-demo

peer: ## build reckon-peer, the other host of the network pages, and say how to start it
	@mkdir -p $(LIB)
	@$(ALONE) $(LIB) $(MAKE) --no-print-directory -s -C csrc OUT=$(CURDIR)/$(LIB) \
	  $(CURDIR)/$(LIB)/reckon-peer
	@echo "$(LIB)/reckon-peer is built. It needs no privileges and nothing beside itself. On this host:"
	@echo "  export RECKON_PEER_TOKEN=\$$(openssl rand -hex 16)   # and the same on the host that measures"
	@echo "  $(LIB)/reckon-peer --listen ADDRESS --allow HOST     # its own address, and who measures"
	@echo "On the host that measures: PEER=ADDRESS make book"

# The quick profile: samples of any longer profile serve, so an edited prediction shows its verdict
# at once.
lab: setup-lab lib ## open the notebooks in JupyterLab, to edit predictions
	@RECKON_PROFILE=$(or $(PROFILE),quick) $(PY) -m jupyterlab --config=tools/lab_config.py \
	  $(if $(filter 0,$(shell id -u)),--allow-root)

edit: setup lib nfs ## serve the site, and make it again whenever a file of the book is saved (PORT=)
	@$(PY) -m reckon edit --port $(PORT)

serve: setup ## show the site on http://127.0.0.1:8000 (PORT=)
	@test -f _build/html/index.html || { echo "There is no site yet; run make book." >&2; exit 2; }
	@$(PY) -m reckon edit --as-it-is --port $(PORT)

# A worker takes a whole file, whose tests share fixtures; tests/conftest.py puts the longest first.
BY_FILE := --dist loadfile --no-loadscope-reorder

# No root, no asserted time, no page executed: what runs after every edit. Of the notebooks their words
# and sentences are read.
check: setup-dev ## run the tests that take no root, no measured time, no browser and no build, within 3 minutes
	@$(PY) -m pytest -q -n 2 $(BY_FILE) -m "parallel and not book and not browser" \
	  $(foreach part,csrc measurement faults install,--ignore=tests/$(part)) \
	  --ignore=tests/notebooks/test_pages.py

# Tests of one part of the sources that take minutes: `make nightly` runs them, and CI where that part
# changed.
ALL_PARTS := csrc fleet builds
LEFT_OUT = $(filter-out $(PARTS),$(ALL_PARTS))

# Sets up what the tests need, as far as it may; what is missing then skips tests, each with its reason.
# First what asserts no time, three files at once; then what measures, alone.
# Both always run.
test: setup-dev ## run the tests; PARTS="csrc fleet builds": those that take minutes, too; or those of TESTS=
	@tools/setup tests
ifdef TESTS
	@$(PY) -m pytest $(TESTS)
else
	@chosen="not install$(foreach part,$(LEFT_OUT), and not long_$(part))"; \
	  $(PY) -m pytest -n 3 $(BY_FILE) -m "parallel and $$chosen" --durations=20; parallel=$$?; \
	  $(PY) -m pytest -m "not parallel and $$chosen" --durations=20; alone=$$?; \
	  $(if $(LEFT_OUT),echo "Left out: the long tests of $(LEFT_OUT). make nightly runs them." &&) \
	  exit $$((parallel | alone))
endif

# The other versions of Python that the package supports, where they are installed.
PYTHONS := 3.11 3.12 3.13
# Examples that no earlier run had; a failure prints how to repeat it.
nightly: setup-dev ## run all tests: all parts, random examples, 200 kills, a million messages, installation, three Pythons
	@failed=; seed=$$(date +%s); \
	  export PYTEST_ADDOPTS="--hypothesis-profile=random --hypothesis-seed=$$seed"; \
	  $(MAKE) --no-print-directory test PARTS="$(ALL_PARTS)" || failed+=" test"; \
	  $(MAKE) --no-print-directory faults SEED=$$seed || failed+=" faults"; \
	  $(MAKE) --no-print-directory test-install || failed+=" test-install"; \
	  for version in $(PYTHONS); do \
	    python$$version -c "" 2>/dev/null || { echo "Left out: Python $$version is not installed."; continue; }; \
	    $(MAKE) --no-print-directory check PYTHON=python$$version VENV=_build/python$$version || \
	      failed+=" python$$version"; \
	  done; \
	  test -z "$$failed" || { echo "Failed (seed $$seed):$$failed" >&2; exit 1; }

# A kill of every program by every signal takes 18; 200 take about an hour, a million messages to each
# of seven readers another.
faults: setup-dev ## kill what a build runs, send random messages, at length: make faults COUNT=200 MESSAGES=1000000 SEED=1
	@tools/setup tests
	@KILLS=$(or $(COUNT),200) KILLS_SEED=$(or $(SEED),1) \
	  FUZZ_MESSAGES=$(or $(MESSAGES),1000000) FUZZ_SEED=$(or $(SEED),1) \
	  $(PY) -m pytest tests/faults/test_kills.py tests/faults/test_readers.py tests/csrc/peer/test_fuzz.py

test-install: setup-dev ## run the tests of installation: pip install, and from nothing in a bare Debian 12 and 13 (root)
	@tools/setup tests
	@$(PY) -m pytest tests/install

lint: setup-dev ## check format, style, types, imports, spelling and the C compiler's warnings
	@tools/lint $(VENV)/bin

setup: $(VENV)/ready ## the virtual environment alone
setup-lab: $(VENV)/ready-lab ## also what `make lab` needs
setup-fleet: $(VENV)/ready-fleet ## also what the commands for many machines need
setup-dev: $(VENV)/ready-dev ## also what tests and `make lint` need, with the two above

# Another make may have done it meanwhile.
SET_UP = $(ALONE) tools sh -c '[ "$$(find $@ $(^:%=-newer %) 2>/dev/null)" ] || \
  { tools/setup venv $(PYTHON) $(VENV) $< && touch $@; }'

# A moved or copied one is made again.
MOVED := $(shell tools/setup moved $(VENV) && echo moved)
.PHONY: moved
moved:

$(VENV)/ready: requirements.txt pyproject.toml tools/setup $(MOVED)
	@$(SET_UP)

$(VENV)/ready-%: requirements-%.txt $(VENV)/ready
	@$(SET_UP)

lib: ## the C library alone
	@mkdir -p $(LIB)
	@$(ALONE) $(LIB) $(MAKE) --no-print-directory -s -j$$(nproc) -C csrc OUT=$(CURDIR)/$(LIB)

# The library with the probes of csrc/test; its warnings are errors.
lib-tests:
	@mkdir -p $(LIB_OF_TESTS)
	@$(ALONE) $(LIB_OF_TESTS) $(MAKE) --no-print-directory -s -j$$(nproc) -C csrc \
	  OUT=$(CURDIR)/$(LIB_OF_TESTS) TEST_PROBES=1 WERROR=1

tex: ## install TeX by apt-get, where that can be used
	@tools/setup tex

nfs: ## install an NFS server and libnfs by apt-get, where that can be used
	@tools/setup nfs

# Each lock keeps to the versions of those before it.
COMPILE := uv pip compile -q pyproject.toml --universal --python-version 3.11 --no-annotate \
  --custom-compile-command "make lock"
lock: ## compile requirements.txt and those of the extras from pyproject.toml (needs uv)
	$(COMPILE) -o requirements.txt
	$(COMPILE) -o requirements-fleet.txt --extra fleet -c requirements.txt
	$(COMPILE) -o requirements-lab.txt --extra lab -c requirements-fleet.txt
	$(COMPILE) -o requirements-dev.txt --extra dev -c requirements-fleet.txt -c requirements-lab.txt

schema: setup-fleet ## write book/record.schema.json, report.schema.json and docs/export-format.md again
	@$(PY) -c "from reckon import config, records; from reckon.comparison.reports import report; \
	  from reckon.fleet.collection import export; \
	  records.write_whole(config.ROOT / 'docs' / 'export-format.md', export.description()); \
	  book = config.ROOT / 'book'; \
	  records.write_whole(book / 'record.schema.json', records.schema()); \
	  records.write_whole(book / 'report.schema.json', report.schema())"

expected: setup-dev ## write what the pages show of the tests' recorded run: make expected PAGE=cpu/syscall; alone: all
	@$(PY) -m pytest -q -n 2 --nb-force-regen \
	  "tests/notebooks/test_pages.py::test_a_page_shows_what_is_expected$(if $(PAGE),[$(PAGE)])"

record: setup-dev ## add what the tests' recorded run lacks of an experiment: make record EXPERIMENT=cpu/syscall
	@test -n "$(EXPERIMENT)" || { echo "Say which: make record EXPERIMENT=cpu/syscall" >&2; exit 2; }
	@PYTHONPATH=tests $(PY) -m helpers.record $(EXPERIMENT)

machines: setup-dev ## print what the pages conclude of made-up machines, and of that what is right: make machines [PAGE=cpu/loop]
	@PYTHONPATH=tests $(PY) -m machines $(if $(PAGE),--page $(PAGE))

uninstall: ## remove what set-up installed: packages of apt-get, .venv, _build; recorded runs stay
	@tools/setup uninstall $(VENV)

clean: ## remove _build and .venv; recorded runs stay
	rm -rf _build $(VENV) *.egg-info notebooks/contents.md
