# tests/<folder>/<name>_test.cc is one GoogleTest program, tests/**/<name>_test.sh one script, tests/python/<name>_test.py
# one file of pytest; tests/run_tests.py runs them.

#: make test           builds and runs all tests; ends with "N passed, N failed"
#: make test T=van | T=van/barrier | T=van/barrier:Pattern   only these; REPEAT=n repeats
#: make chaos [C=R4]   runs the long figures (tests/chaos/run_chaos.py), or those named, and prints a table
#: make bench [B="--rows rate,dense --csv out.csv"]   the library's figures beside the machine's (ps_bench)
#: make bench-curve    what encryption costs
#: make bench-instructions   counts the instructions of server and worker per push and pull (valgrind)
#: make bench-p3       what sending by priority gains on a slow link; needs network namespaces and tc (77: not here)
#: make bench-python   what a push and pull of 4 MB costs in Python against C++
#: make bench-hops     counts how often threads are woken for a round trip
#: make gpu-check      the device layer on a GPU: its tests, and what its work takes; says so where there is none (77)
#: make fuzz           runs the fuzzers of tests/fuzz for FUZZ_SECONDS (60) each

T ?=
REPEAT ?= 1
TEST_JOBS ?= 2
TEST_TIMEOUT ?= 120
FUZZ_SECONDS ?= 60

# The part of T before the first colon is a folder or a file below tests/.
T_PATH := $(firstword $(subst :, ,$(T)))
# With LAYERS only the tests that mirror these layers are built.
TEST_FOLDERS := $(or $(LAYERS),$(filter-out bench compat fuzz support,$(patsubst tests/%/,%,$(wildcard tests/*/))))

TEST_CC := $(filter %_test.cc,$(call find_cc,$(addprefix tests/,$(TEST_FOLDERS))))
TEST_SH := $(if $(LAYERS),,$(if $(wildcard tests),$(sort $(shell find tests -name '*_test.sh'))))
# A library with a sanitizer can not be loaded by an interpreter without one.
TEST_PY := $(if $(LAYERS)$(SAN),,$(wildcard tests/python/*_test.py))
FUZZ_CC := $(wildcard tests/fuzz/*_fuzz.cc)
# Programs that tests start: ps-lite-shaped ones, and those that the process tests run and kill.
PROGRAM_CC := $(wildcard tests/compat/*.cc) $(filter-out %_test.cc,$(wildcard tests/process/*.cc))
PROGRAM_BINS := $(PROGRAM_CC:tests/%.cc=$(BUILD)/%)
# A program in C, which gets by with the headers and libps.so.
C11_OBJS := $(patsubst %.c,$(BUILD)/obj/%.o,$(wildcard tests/c_api/c11/*.c))
C11_BIN := $(BUILD)/c_api/c11

# $(call chosen,files): those that T selects.
chosen = $(if $(T_PATH),$(filter tests/$(T_PATH)/% tests/$(T_PATH)_test.cc tests/$(T_PATH)_test.sh tests/$(T_PATH)_test.py tests/$(T_PATH)_fuzz.cc,$(1)),$(1))
RUN_CC := $(call chosen,$(TEST_CC))
RUN_SH := $(call chosen,$(TEST_SH))
RUN_PY := $(call chosen,$(TEST_PY))
RUN_FUZZ := $(call chosen,$(if $(LAYERS),,$(FUZZ_CC)))
TEST_BINS := $(RUN_CC:%.cc=$(BUILD)/%)
FUZZ_BINS := $(RUN_FUZZ:%.cc=$(BUILD)/%)
# Scripts, and tests that start processes, need everything that they may start.
TEST_PROGRAMS := $(if $(filter tests/gpu/%,$(RUN_SH)),$(BUILD)/tests/gpu/gpu_check $(GPU_EXAMPLE_BINS) $(BUILD)/examples/mnist/make_digits) $(if $(filter-out tests/gpu/%,$(RUN_SH))$(filter tests/process/% tests/tracker/% tests/examples/% tests/tools/ps_ckpt_test.cc,$(RUN_CC)),all $(PROGRAM_BINS) $(C11_BIN)) $(if $(RUN_PY),$(LIB_SO)) $(if $(filter tests/python/wheel_test.py,$(RUN_PY)),$(BUILD)/python/dist/.stamp)

# Networks that are cut and clocks that jump take tools of their own.
TEST_TOOLS := $(if $(filter tests/process/% tests/netns/%,$(RUN_CC) $(RUN_SH)),$(BUILD)/deps-faults) $(if $(RUN_PY),$(BUILD)/deps-python) \
  $(if $(filter tests/lua/%,$(RUN_SH)),$(BUILD)/deps-lua)

# Support code is compiled once. With LAYERS, only the parts that include nothing from other layers.
SUPPORT_CC := $(wildcard tests/support/*.cc)
ifneq ($(LAYERS),)
other_layers = $(filter-out $(LAYERS) tests ps,$(shell cat $(1) $(wildcard $(1:.cc=.h)) | sed -n 's/^\#include "\([a-z_]*\)\/.*/\1/p'))
SUPPORT_CC := $(foreach f,$(SUPPORT_CC),$(if $(call other_layers,$(f)),,$(f)))
endif
SUPPORT_A := $(BUILD)/libtest_support.a
# Most of the time that a test takes to be built goes into headers that all of them include: clang takes half the time of
# g++ for them, and less when they have been compiled once. Without clang, and with SAN, whose run-time libraries differ,
# tests are compiled like the rest.
TEST_CXX := $(if $(SAN),,$(shell command -v $(CLANG) 2>/dev/null))
ifneq ($(TEST_CXX),)
TEST_PCH := $(BUILD)/obj/tests/support/precompiled.pch
$(TEST_PCH): tests/support/precompiled.h $(BUILD)/flags
	$(call say,CXX,$<)
	@mkdir -p $(@D)
	$(Q)$(TEST_CXX) $(CXXFLAGS) $(WARNINGS) $(INCLUDES) $(INCLUDES_tests) $(THIRD_CFLAGS) -Xclang -fno-pch-timestamp \
	  -x c++-header $< -o $@
	$(Q){ $(TEST_CXX) --version; cat $< $(BUILD)/flags; } | sha256sum > $@.sum
PRECOMPILED_OBJS := $(filter-out $(OPTIMIZED_TEST_OBJS),$(patsubst %.cc,$(BUILD)/obj/%.o,$(TEST_CC) $(SUPPORT_CC)))
$(PRECOMPILED_OBJS): $(TEST_PCH)
$(PRECOMPILED_OBJS): COMPILE = $(CCACHE) $(TEST_CXX) -include-pch $(TEST_PCH)
endif
SUPPORT_OBJS := $(SUPPORT_CC:%.cc=$(BUILD)/obj/%.o)

$(BUILD)/test_support.list: FORCE
	$(call keep,$(SUPPORT_OBJS))

$(SUPPORT_A): $(SUPPORT_OBJS) $(BUILD)/test_support.list
	$(call archive,$(SUPPORT_OBJS))

$(BUILD)/tests/%_test: $(BUILD)/obj/tests/%_test.o $(SUPPORT_A) $(LIB_A)
	$(call link,$(SUPPORT_A) $(GTEST_LIBS))

# Tests of examples use the examples' own code too.
$(BUILD)/tests/examples/%_test: $(BUILD)/obj/tests/examples/%_test.o $(SUPPORT_A) $(EXAMPLES_A) $(LIB_A)
	$(call link,$(SUPPORT_A) $(EXAMPLES_A) $(GTEST_LIBS))

# And tests of a tool's parts those parts.
$(BUILD)/tests/tools/ps_bench/%_test: $(BUILD)/obj/tests/tools/ps_bench/%_test.o $(call tool_objs,ps_bench) $(SUPPORT_A) $(LIB_A)
	$(call link,$(SUPPORT_A) $(GTEST_LIBS))

$(BUILD)/tests/fuzz/%_fuzz: $(BUILD)/obj/tests/fuzz/%_fuzz.o $(BUILD)/obj/tests/fuzz/standalone_main.o $(LIB_A)
	$(call link)

$(PROGRAM_BINS): $(BUILD)/%: $(BUILD)/obj/tests/%.o $(LIB_A)
	$(call link)

$(C11_OBJS): $(BUILD)/obj/%.o: %.c $(BUILD)/flags
	$(call say,CC,$<)
	@mkdir -p $(@D)
	$(Q)$(CCACHE) $(CC) -std=c11 -pedantic $(WARNINGS) -Iinclude $(SAN_FLAGS) -MMD -MP -c $< -o $@

$(C11_BIN): $(C11_OBJS) $(LIB_SO)
	$(call say,LINK,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(LDFLAGS) $(C11_OBJS) -o $@ -L$(BUILD) -lps -Wl,-rpath,'$$ORIGIN/..'

# A program that is killed at points of the protocol (base/test_point.h) gets a second copy of the sources that have
# some: linked before the library, so that its own copies are not looked at.
POINT_OBJS := $(patsubst %.cc,$(BUILD)/obj/points/%.o,$(shell grep -rl --include='*.cc' PS_TEST_POINT src))
$(BUILD)/obj/points/%.o: %.cc $(BUILD)/flags | $(GEN_HEADERS)
	$(call say,CXX,$< with test points)
	@mkdir -p $(@D)
	$(Q)$(COMPILE) $(CXXFLAGS) -DPS_TEST_POINTS $(WARNINGS) $(INCLUDES) $(THIRD_CFLAGS) -MMD -MP -c $< -o $@

$(BUILD)/process/store_worker: $(addprefix $(BUILD)/obj/tests/support/,vector_program.o any_store.o any_table.o)
$(BUILD)/process/kv_worker: $(BUILD)/obj/tests/support/kv_program.o
$(BUILD)/process/table_worker: $(addprefix $(BUILD)/obj/tests/support/,table_program.o any_store.o any_table.o)
$(BUILD)/process/trainer: $(POINT_OBJS) $(BUILD)/obj/tests/support/kill_point.o

.PHONY: test test-programs bench bench-curve fuzz
test-programs: $(PROGRAM_BINS) $(TEST_BINS) $(FUZZ_BINS)

test: $(TEST_BINS) $(FUZZ_BINS) $(TEST_PROGRAMS) | $(TEST_TOOLS)
	@$(PYTHON) tests/run_tests.py --build '$(BUILD)' --san '$(SAN)' --filter '$(T)' --repeat $(REPEAT) \
	  --jobs $(TEST_JOBS) --timeout $(TEST_TIMEOUT) $(TEST_BINS) $(FUZZ_BINS) $(RUN_SH) $(RUN_PY)

# --- long figures -------------------------------------------------------------------------------------------------

C ?=
ifneq ($(filter chaos,$(MAKECMDGOALS)),)
CHAOS_BINS := $(shell $(PYTHON) tests/chaos/run_chaos.py --build '$(BUILD)' --only '$(C)' --programs)
endif

.PHONY: chaos
chaos: $(CHAOS_BINS) $(if $(filter $(BUILD)/tests/process/%,$(CHAOS_BINS)),$(PROGRAM_BINS))
	@$(PYTHON) tests/chaos/run_chaos.py --build '$(BUILD)' --only '$(C)'

# --- measurements -------------------------------------------------------------------------------------------------

B ?=
bench: $(TOOL_BINS)
	@$(BUILD)/bin/ps_bench $(B)

CURVE_BIN := $(BUILD)/bench/curve
$(CURVE_BIN): $(BUILD)/bench/%: $(BUILD)/obj/tests/bench/%.o $(LIB_A)
	$(call link)

bench-curve: $(CURVE_BIN)
	@$(CURVE_BIN)

P3_BIN := $(BUILD)/bench/p3
$(P3_BIN): $(BUILD)/bench/%: $(BUILD)/obj/tests/bench/%.o $(LIB_A)
	$(call link)

.PHONY: bench-p3
bench-p3: $(P3_BIN)
	@PS_BUILD='$(BUILD)' tests/bench/p3.sh

COUNTED_BIN := $(BUILD)/bench/instructions/one_key_requests
$(COUNTED_BIN): $(BUILD)/bench/%: $(BUILD)/obj/tests/bench/%.o $(LIB_A)
	$(call link)

PUSH_PULL_BIN := $(BUILD)/bench/push_pull
$(PUSH_PULL_BIN): $(BUILD)/bench/%: $(BUILD)/obj/tests/bench/%.o $(LIB_A)
	$(call link)

.PHONY: bench-python
bench-python: $(PUSH_PULL_BIN) $(BUILD)/python/.stamp
	@PS_BUILD='$(BUILD)' PYTHON=$(PYTHON) tests/bench/push_pull.sh

.PHONY: bench-instructions bench-hops
bench-instructions: $(COUNTED_BIN) $(BUILD)/deps-instructions
	@$(PYTHON) tests/bench/instructions/instructions.py --build '$(BUILD)'
bench-hops: $(COUNTED_BIN)
	@$(PYTHON) tests/bench/instructions/hops.py --build '$(BUILD)'

# --- a GPU --------------------------------------------------------------------------------------------------------
# One file that needs nothing but a driver, to be taken to where a GPU is: the same tests that run here on the processor.

GPU_CHECK_BIN := $(BUILD)/tests/gpu/gpu_check
GPU_CHECK_CC := $(wildcard tests/gpu/*.cc) $(addprefix tests/device/,$(addsuffix _test.cc,sums casts rows bits updates)) \
  $(wildcard tests/device/cuda/*_test.cc)
$(GPU_CHECK_BIN): $(GPU_CHECK_CC:%.cc=$(BUILD)/obj/%.o) $(SUPPORT_A) $(LIB_A)
	$(call say,LINK,$@)
	@mkdir -p $(@D)
	$(Q)$(CXX) $(LDFLAGS) $(if $(SAN),,-static-libstdc++ -static-libgcc) $(filter %.o,$^) -o $@ $(SUPPORT_A) $(LIB_A) \
	  -l:libgtest.a $(CUDA_LIBS)

# Then the examples that have a form for GPUs, with the first one.
.PHONY: gpu-check
gpu-check: $(GPU_CHECK_BIN) $(GPU_EXAMPLE_BINS) $(BUILD)/examples/mnist/make_digits
	@$(GPU_CHECK_BIN)
	@for example in $(notdir $(GPU_EXAMPLE_BINS)); do tests/gpu/example.sh '$(BUILD)' $$example || exit; done

# --- fuzzing ------------------------------------------------------------------------------------------------------
# libFuzzer needs clang and an instrumented library, so `make fuzz` calls make again with a build folder of its own.
# Its counters keep loops from being vectorized (device/launch.h), which is no finding.
FUZZ_NO_VECTORS := -Wno-pass-failed

fuzz: $(BUILD)/deps-fuzz
	@$(MAKE) fuzz-run BUILD=$(BUILD)/fuzz SAN= USE_CUDA=0 CXX='$(CLANG)' \
	  EXTRA_CXXFLAGS='-fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer $(FUZZ_NO_VECTORS)' \
	  EXTRA_LDFLAGS='-fsanitize=address,undefined'

.PHONY: fuzz-run
FUZZERS := $(FUZZ_CC:tests/fuzz/%_fuzz.cc=$(BUILD)/fuzzer/%)
$(BUILD)/fuzzer/%: $(BUILD)/obj/tests/fuzz/%_fuzz.o $(LIB_A)
	$(call link,-fsanitize=fuzzer)

# New inputs go to the build folder; what is worth keeping is copied to the committed corpus by hand.
fuzz-run: $(FUZZERS)
	@set -e; for f in $(FUZZERS); do n=$$(basename $$f); echo "== $$n, $(FUZZ_SECONDS) s"; \
	  mkdir -p $(BUILD)/corpus/$$n tests/fuzz/corpus/$$n; \
	  $$f -max_total_time=$(FUZZ_SECONDS) -timeout=10 -print_final_stats=1 -verbosity=0 -artifact_prefix=$(BUILD)/corpus/$$n- \
	    $(BUILD)/corpus/$$n tests/fuzz/corpus/$$n; done; echo "fuzz: no findings"
