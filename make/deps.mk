# Third parties. $(BUILD)/deps.mk is made once per build folder: it installs what is missing and keeps
# pkg-config's answers, so that later calls cost nothing. Make starts again after having made it.

#: make deps           installs what is missing to build and test (apt; elsewhere names it)

NO_DEPS_GOALS := clean help deps
WANTED_GOALS := $(filter-out $(NO_DEPS_GOALS),$(or $(MAKECMDGOALS),all))

.PHONY: deps
deps:
	@make/deps.sh build

$(BUILD)/deps.mk: make/deps.sh
	@mkdir -p $(@D)
	@make/deps.sh build
	@$(if $(filter test test-programs,$(MAKECMDGOALS)),make/deps.sh lint)
	@{ echo "ZMQ_CFLAGS := $$($(PKG_CONFIG) --cflags libzmq)"; \
	   echo "ZMQ_LIBS := $$($(PKG_CONFIG) --libs libzmq)"; \
	   echo "PROTOBUF_CFLAGS := $$($(PKG_CONFIG) --cflags protobuf-lite)"; \
	   echo "PROTOBUF_LIBS := $$($(PKG_CONFIG) --libs protobuf-lite)"; \
	   echo "SODIUM_CFLAGS := $$($(PKG_CONFIG) --cflags libsodium)"; \
	   echo "SODIUM_LIBS := $$($(PKG_CONFIG) --libs libsodium)"; \
	   echo "XXHASH_CFLAGS := $$($(PKG_CONFIG) --cflags libxxhash)"; \
	   echo "XXHASH_LIBS := $$($(PKG_CONFIG) --libs libxxhash)"; \
	   echo "GTEST_LIBS := $$($(PKG_CONFIG) --libs gtest)"; } > $@.tmp
	@mv $@.tmp $@

$(BUILD)/deps-lint $(BUILD)/deps-fuzz $(BUILD)/deps-instructions $(BUILD)/deps-faults $(BUILD)/deps-python \
  $(BUILD)/deps-lua $(BUILD)/deps-curves: $(BUILD)/deps-%: make/deps.sh
	@mkdir -p $(@D)
	@make/deps.sh $* && touch $@

ifneq ($(WANTED_GOALS),)
include $(BUILD)/deps.mk
endif

THIRD_CFLAGS = $(ZMQ_CFLAGS) $(PROTOBUF_CFLAGS) $(SODIUM_CFLAGS) $(XXHASH_CFLAGS)
THIRD_LIBS = $(ZMQ_LIBS) $(PROTOBUF_LIBS) $(SODIUM_LIBS) $(XXHASH_LIBS)
