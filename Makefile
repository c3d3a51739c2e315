# Caravan: a parameter-server message-passing runtime. `make help` lists the targets.

.DEFAULT_GOAL := all

include make/config.mk
include make/deps.mk
include make/cuda.mk
include make/rules.mk
include make/test.mk
include make/lint.mk
include make/install.mk
include make/curves.mk
include make/python.mk

.PHONY: all clean help

all: $(LIB_A) $(LIB_SO) $(TOOL_BINS) $(EXAMPLE_BINS)

clean:
	rm -rf $(BUILD)

help:
	@sed -n 's/^#: *//p' $(firstword $(MAKEFILE_LIST)) make/*.mk

-include $(shell test -d $(BUILD) && find $(BUILD) -name '*.d')
