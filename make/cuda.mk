# CUDA sources are compiled where nvcc is found, unless USE_CUDA=0.

USE_CUDA ?= auto
USE_CUDA_PATH ?=

CUDA_SRCS := $(if $(wildcard src/device/cuda),$(shell find src/device/cuda -name '*.cu'))
NVCC := $(if $(filter-out 0,$(USE_CUDA)),$(if $(CUDA_SRCS),$(or $(wildcard $(USE_CUDA_PATH)/bin/nvcc),$(shell command -v nvcc))))
ifeq ($(USE_CUDA)$(if $(CUDA_SRCS),$(NVCC),unused),1)
$(error USE_CUDA=1, but no nvcc was found; put it on the PATH or set USE_CUDA_PATH)
endif

ifneq ($(NVCC),)
CUDA_OBJS := $(CUDA_SRCS:%.cu=$(BUILD)/obj/%.cu.o)
CUDA_LIBS := -L$(abspath $(dir $(NVCC))../lib64) -lcudart
$(BUILD)/obj/%.cu.o: %.cu $(BUILD)/flags | $(GEN_HEADERS)
	$(call say,NVCC,$<)
	@mkdir -p $(@D)
	$(Q)$(NVCC) -std=c++17 -O2 -g -Xcompiler -fPIC -Iinclude -Isrc -MMD -MP -c $< -o $@
endif
