# What can be checked without running anything. The scripts are fast and always run; what needs a compiler is done
# again only for files that changed.

#: make lint           layers, sizes, test mirrors, variables, words, headers, thread safety, format
#: make format         lets clang-format rewrite the sources
#: make tidy           clang-tidy over src (slow)

LINT_SCRIPTS := layers sizes mirrors variables words
FORMATTED := $(foreach f,include src tests examples,$(if $(wildcard $(f)),$(shell find $(f) -name '*.h' -o -name '*.c' -o -name '*.cc' -o -name '*.cu')))
LINT_SOURCES := $(filter src/%.cc,$(FORMATTED))
# A header that its own source includes before all else has been compiled alone.
FIRST_INCLUDES := $(if $(filter lint%,$(MAKECMDGOALS)),$(shell awk 'FNR == 1 {found = 0} !found && /^#include/ {found = 1; \
  base = FILENAME; sub(/^src\//, "", base); sub(/\.cc$$/, ".h", base); if ($$2 == "\"" base "\"") print "src/" base}' $(LINT_SOURCES)))
LINT_HEADERS := $(filter-out tests/% examples/% src/device/cuda/% $(FIRST_INCLUDES),$(filter %.h,$(FORMATTED)))
# Third-party headers are none of our warnings' business, and lint works on a tree that was not built.
LINT_FLAGS := -std=c++17 -pthread -fsyntax-only -Iinclude -Isrc -isystem $(GEN)

.PHONY: lint lint-all lint-format format tidy $(LINT_SCRIPTS:%=lint-%)

# All checks run, also when one of them has something to say.
lint:
	@$(MAKE) -k lint-all && echo "lint: clean"

lint-all: $(LINT_SCRIPTS:%=lint-%) lint-headers lint-safety lint-format

$(LINT_SCRIPTS:%=lint-%): lint-%:
	@$(PYTHON) tests/lint/$*.py $(CURDIR)

# Every header compiles alone.
.PHONY: lint-headers lint-safety
lint-headers: $(LINT_HEADERS:%=$(BUILD)/lint/headers/%.ok)
$(BUILD)/lint/headers/%.ok: % | $(GEN_HEADERS) $(BUILD)/deps-lint
	$(call say,HEADER,$<)
	@mkdir -p $(@D)
	$(Q)echo '#include "$<"' | $(CXX) $(LINT_FLAGS) $(WARNINGS) $(THIRD_CFLAGS) -I. -x c++ -MMD -MP -MF $(@:.ok=.d) -MT $@ -
	@touch $@

# clang checks the annotations of base/mutex.h.
lint-safety: $(LINT_SOURCES:%=$(BUILD)/lint/safety/%.ok)
$(BUILD)/lint/safety/%.ok: % | $(GEN_HEADERS) $(BUILD)/deps-lint
	$(call say,SAFETY,$<)
	@mkdir -p $(@D)
	$(Q)$(CLANG) $(LINT_FLAGS) -Wno-everything -Wthread-safety -Werror=thread-safety $(THIRD_CFLAGS) \
	  -MMD -MP -MF $(@:.ok=.d) -MT $@ $<
	@touch $@

lint-format: $(BUILD)/lint/format.ok
$(BUILD)/lint/format.ok: $(FORMATTED) .clang-format | $(BUILD)/deps-lint
	@mkdir -p $(@D)
	@clang-format --dry-run -Werror $(if $(filter .clang-format,$?),$(FORMATTED),$?) 2>&1 | \
	  awk -F: '/clang-format-violations/ && !seen[$$1]++ {print $$1 ":" $$2 ": not formatted (make format)"}'
	@touch $@

format: $(BUILD)/deps-lint
	clang-format -i $(FORMATTED)

tidy: $(BUILD)/deps-lint | $(GEN_HEADERS)
	clang-tidy --quiet $(LINT_SOURCES) -- $(filter-out -fsyntax-only,$(LINT_FLAGS)) $(THIRD_CFLAGS)
