# Rules for GNU make 4.3 or newer that compile notebooks; nbscorep-make(7) describes them.
#
#     include $(or $(shell nbscorep where make),$(error nbscorep is not on PATH))
#     all: heat_run.sh
#
# Variables that a Makefile may set before it includes this file:
#   NBSCOREP             the program                              (default: nbscorep)
#   NBSCOREPFLAGS        options of nbscorep build                (default: none)
#   NBSCOREP_OUTPUT_DIR  folder of the scripts                    (default: beside their notebooks)
#   NBSCOREP_NOTEBOOKS   notebooks whose dependency files count   (default: *.ipynb)
#   NBSCOREP_VERIFY      0: do not check the cells with Python    (default: check them)
#
# Variables and functions that this file defines:
#   NBSCOREP_OUTPUTS     scripts and run scripts of all notebooks
#   NBSCOREP_CLEAN       these files, their dependency files, and the folders of the runtime package
#   $(call nbscorep_outputs,NOTEBOOK...)                   scripts and run scripts of notebooks
#   $(eval $(call nbscorep_programs,NOTEBOOK,PROGRAM...))  a notebook with write-mode sections
#
# make cannot handle names with blanks.

NBSCOREP ?= nbscorep
NBSCOREPFLAGS ?=
NBSCOREP_OUTPUT_DIR ?=
NBSCOREP_NOTEBOOKS ?= $(wildcard *.ipynb)

ifdef NBSCOREP_VERIFY
export NBSCOREP_VERIFY
endif

# Rules in included files must not become the Makefile's default goal.
nbscorep_goal := $(.DEFAULT_GOAL)

nbscorep_quote = '$(subst ','\'',$(1))'
nbscorep_folder := $(if $(NBSCOREP_OUTPUT_DIR),$(patsubst %/,%,$(NBSCOREP_OUTPUT_DIR))/)
nbscorep_stems = $(addprefix $(nbscorep_folder),$(basename $(patsubst ./%,%,$(1))))
nbscorep_files = $(addsuffix .py,$(1)) $(addsuffix _run.sh,$(1))
nbscorep_made = $(call nbscorep_files,$(1)) $(addsuffix .d,$(1))
nbscorep_outputs = $(call nbscorep_files,$(call nbscorep_stems,$(1)))

# Compiles the first prerequisite into the target's folder.
nbscorep_options = $(if $(nbscorep_folder),--output-dir=$(call nbscorep_quote,$(@D))) $(NBSCOREPFLAGS)
define nbscorep_build
$(if $(nbscorep_folder),@mkdir -p -- $(call nbscorep_quote,$(@D)))
$(NBSCOREP) build -MD $(strip $(nbscorep_options)) -- $(call nbscorep_quote,$<)
endef

$(nbscorep_folder)%.py $(nbscorep_folder)%_run.sh: %.ipynb
	$(nbscorep_build)

NBSCOREP_OUTPUTS := $(call nbscorep_outputs,$(NBSCOREP_NOTEBOOKS))
nbscorep_packages = $(wildcard $(sort $(addsuffix scorep_notebook_*,$(dir $(1)))))
NBSCOREP_CLEAN := $(call nbscorep_made,$(call nbscorep_stems,$(NBSCOREP_NOTEBOOKS)))
NBSCOREP_CLEAN += $(call nbscorep_packages,$(NBSCOREP_CLEAN))

# One run of nbscorep writes the files of all programs of the notebook.
define nbscorep_programs
nbscorep_goal := $$(.DEFAULT_GOAL)
nbscorep_targets := $$(addprefix $$(dir $$(call nbscorep_stems,$(1))),$(2))
nbscorep_targets := $$(patsubst ./%,%,$$(nbscorep_targets))
NBSCOREP_OUTPUTS := $$(filter-out $$(call nbscorep_outputs,$(1)),$$(NBSCOREP_OUTPUTS))
NBSCOREP_OUTPUTS += $$(call nbscorep_files,$$(nbscorep_targets))
NBSCOREP_CLEAN := $$(filter-out $$(call nbscorep_made,$$(call nbscorep_stems,$(1))),$$(NBSCOREP_CLEAN))
NBSCOREP_CLEAN += $$(call nbscorep_made,$$(nbscorep_targets))
$$(call nbscorep_files,$$(nbscorep_targets)) &: $(1)
	$$(nbscorep_build)
-include $$(wildcard $$(addsuffix .d,$$(nbscorep_targets)))
.DEFAULT_GOAL := $$(nbscorep_goal)
endef

-include $(wildcard $(addsuffix .d,$(call nbscorep_stems,$(NBSCOREP_NOTEBOOKS))))

.DEFAULT_GOAL := $(nbscorep_goal)
