# CUDA sources are compiled where nvcc is found, unless USE_CUDA=0. The runtime is linked statically and looks for a
# driver when it is first asked: the same binary runs on machines without one.

#: make ... USE_CUDA=auto|0|1 [USE_CUDA_PATH=/usr/local/cuda]   with CUDA if nvcc is there; never; or else it is an error
#: make ... USE_NCCL=auto|0|1  the same for NCCL (nccl.h; the library itself is looked for when a program runs)

USE_CUDA ?= auto
USE_CUDA_PATH ?=
USE_NCCL ?= auto
# Real code for these, and portable code of the last for what comes later.
CUDA_ARCHS ?= 80 90

# Sanitizers and nvcc know nothing of each other.
CUDA_WANTED := $(if $(filter device,$(or $(LAYERS),device)),$(if $(SAN),$(filter 1,$(USE_CUDA)),$(filter-out 0,$(USE_CUDA))))
CUDA_SRCS := $(if $(wildcard src/device/cuda),$(sort $(shell find src/device/cuda -name '*.cu')))
NVCC := $(if $(CUDA_WANTED),$(if $(USE_CUDA_PATH),$(wildcard $(USE_CUDA_PATH)/bin/nvcc),$(or $(shell command -v nvcc),$(wildcard /usr/local/cuda/bin/nvcc))))
ifneq ($(if $(CUDA_WANTED),$(if $(NVCC),,$(USE_CUDA_PATH))),)
$(error USE_CUDA_PATH=$(USE_CUDA_PATH), but there is no $(USE_CUDA_PATH)/bin/nvcc)
endif
ifeq ($(CUDA_WANTED)$(NVCC),1)
$(error USE_CUDA=1, but no nvcc was found; put it on the PATH or set USE_CUDA_PATH)
endif

# nvcc may be a script that calls the compiler elsewhere, so it is asked where its toolkit is. One without the static
# runtime can not be linked with.
ifneq ($(NVCC),)
CUDA_HOME := $(abspath $(or $(shell $(NVCC) --dryrun -x cu /dev/null 2>&1 | sed -n 's/^.. TOP=//p'),$(dir $(shell readlink -f $(NVCC)))..))
CUDART := $(firstword $(wildcard $(addsuffix /libcudart_static.a,$(CUDA_HOME)/lib64 $(CUDA_HOME)/targets/*/lib $(CUDA_HOME)/lib /usr/lib/*)))
ifeq ($(CUDART),)
ifeq ($(USE_CUDA)$(USE_CUDA_PATH),auto)
$(info no CUDA: $(NVCC) is there, but no libcudart_static.a in $(CUDA_HOME))
NVCC :=
else
$(error $(NVCC) is there, but no libcudart_static.a in $(CUDA_HOME); install the CUDA runtime or set USE_CUDA=0)
endif
endif
endif

ifneq ($(NVCC),)
CUDA_OBJS := $(CUDA_SRCS:%.cu=$(BUILD)/obj/%.cu.o)

# What a program needs beside libps.a; libps.so has it inside, and shows nobody its names.
CUDA_STATIC_LIBS := -L$(patsubst %/,%,$(dir $(CUDART))) -lcudart_static -ldl -lrt
CUDA_LIBS := $(CUDA_STATIC_LIBS) -Wl,--exclude-libs,libcudart_static.a

NCCL_HEADER := $(if $(filter-out 0,$(USE_NCCL)),$(firstword $(wildcard $(CUDA_HOME)/include/nccl.h /usr/include/nccl.h)))
ifeq ($(USE_NCCL)$(NCCL_HEADER),1)
$(error USE_NCCL=1, but there is no nccl.h in $(CUDA_HOME)/include or /usr/include)
endif

# -fmad=false: no fused operations, so that an element has the same bits as on the processor. 2810: nvcc takes the
# assignment of a [[nodiscard]] class for a call whose value is dropped.
CUDA_FLAGS := -std=c++17 -O2 -g -fmad=false -diag-suppress 2810 -Werror all-warnings -Xcompiler -Wall,-Wextra,-fPIC \
  $(foreach arch,$(CUDA_ARCHS),-gencode arch=compute_$(arch),code=sm_$(arch)) \
  -gencode arch=compute_$(lastword $(CUDA_ARCHS)),code=compute_$(lastword $(CUDA_ARCHS)) \
  $(if $(NCCL_HEADER),-DPS_HAS_NCCL_HEADER)

$(BUILD)/cuda_flags: FORCE
	$(call keep,$(NVCC) $(CUDA_FLAGS))

$(BUILD)/obj/%.cu.o: %.cu $(BUILD)/cuda_flags
	$(call say,NVCC,$<)
	@mkdir -p $(@D)
	$(Q)$(CCACHE) $(NVCC) $(CUDA_FLAGS) $(INCLUDES) $(INCLUDES_$(firstword $(subst /, ,$<))) -MMD -MP -MF $(@:.o=.d) -c $< -o $@
endif
