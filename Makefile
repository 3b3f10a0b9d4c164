# make table4: the embedded study, from nothing to results/table4.csv.   make all: every table.   make test: lints and tests.
# PYTHON chooses the interpreter (3.11 or newer), CORES the number of cores.
PYTHON ?= python3
CORES ?= all
VENV := .venv
BIN := $(VENV)/bin
INSTALLED := $(VENV)/.installed
export PATH := $(CURDIR)/$(BIN):$(PATH)

.PHONY: table4 all test lint docs site clean clean-features

table4: $(INSTALLED)
	snakemake --cores $(CORES) results/table4.csv

# Every table and figure: the whole grid of the configuration.
all: $(INSTALLED)
	snakemake --cores $(CORES) all

test: lint
	python -m pytest --numprocesses logical --maxprocesses 4 --dist loadfile

lint: $(INSTALLED)
	ruff check .
	ruff format --check .
	snakefmt --check Snakefile rules workflow/Snakefile
	mypy
	lint-imports
	snakemake --lint

# The pages that are generated: from the configuration's model, from Snakemake's plans, from the graph of the rules.
docs: $(INSTALLED)
	zarpipe schema --schema workflow/schemas/config.schema.json --page docs/config.md
	python tests/workflow/rerun_table.py docs/reruns.md
	snakemake all --rulegraph dot | python docs/rules.py docs/rules.svg

# The documentation as a site, in site/.
site: $(INSTALLED)
	NO_MKDOCS_2_WARNING=1 mkdocs build --quiet

$(INSTALLED): pyproject.toml envs/constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --constraint envs/constraints.txt --editable ".[dev]"
	touch $@

# The variants' hidden states, by far the largest files: finished taggers and tables stay. The originals' stay,
# for what is tried next. RESULTS: whose. What no study needs: `zarpipe prune`.
RESULTS ?= results
clean-features:
	rm -rf "$(RESULTS)"/jobs/encode_variant

# What `make` installed and built. Results stay: they may be days of work.
clean:
	rm -rf $(VENV) site
