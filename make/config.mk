# What a user may set, and what follows from it. Every generated file lies below $(BUILD).

#: make [all]          libps.a, libps.so, the tools and the examples
#: make clean          removes $(BUILD)
#: make ... V=1        shows whole commands
#: make ... BUILD=dir  builds into dir (default: build; with SAN: build-$(SAN))
#: make ... SAN=address|thread|undefined
#: make ... DEBUG=-g     full debug information; lines and functions only (-g1) is a quarter faster to build
#: make ... LAYERS="base message"  restricts library and tests to these folders

SAN ?=
DEBUG ?= -g1
BUILD ?= build$(if $(SAN),-$(SAN))
LAYERS ?=
V ?= 0
# Distributions tie their packages to their own interpreter, which need not be the first on PATH.
PYTHON ?= /usr/bin/python3
PROTOC ?= protoc
PKG_CONFIG ?= pkg-config
CLANG ?= clang++
JOBS ?= $(shell nproc 2>/dev/null || echo 2)

ifneq ($(filter-out address thread undefined,$(SAN)),)
$(error SAN=$(SAN) is unknown; use address, thread or undefined)
endif

# make's built-in CXX counts as "not set".
ifeq ($(origin CXX),default)
CXX := g++
endif
ifeq ($(origin CC),default)
CC := gcc
endif
CCACHE := $(shell command -v ccache 2>/dev/null)
COMPILE = $(CCACHE) $(CXX)
# What uses precompiled headers can be cached: by a checksum beside them, because they have their own path in them.
export CCACHE_SLOPPINESS := pch_defines,time_macros
export CCACHE_PCH_EXTSUM := true

MAKEFLAGS += --no-builtin-rules --no-print-directory
# Parallel unless told otherwise; a make called by another one shares its job slots.
ifeq ($(MAKELEVEL)$(filter -j%,$(MAKEFLAGS)),0)
MAKEFLAGS += -j$(JOBS)
endif
SHELL := /bin/bash
.SHELLFLAGS := -o pipefail -c
.DELETE_ON_ERROR:
.SUFFIXES:
.SECONDARY:

SAN_FLAGS := $(if $(SAN),-fsanitize=$(SAN) -fno-omit-frame-pointer)
ifeq ($(SAN),undefined)
SAN_FLAGS += -fno-sanitize-recover=undefined
endif
ifeq ($(SAN),thread)
SAN_FLAGS += -Wno-tsan
endif

WARNINGS := -Wall -Wextra -Werror
OPTIMIZE := $(if $(SAN),-O1,-O2)
GEN := $(BUILD)/gen
INCLUDES := -Iinclude -Isrc
# Only what uses generated headers sees their folder: commands that do not name the build folder can be cached across folders.
GEN_INCLUDES := -isystem $(GEN)
CXXFLAGS := -std=c++17 $(OPTIMIZE) $(DEBUG) -fPIC -pthread $(SAN_FLAGS) $(EXTRA_CXXFLAGS)
# Hundreds of test programs are linked: lld takes a third of the time of the usual linker.
LINKER := $(if $(shell command -v ld.lld 2>/dev/null),-fuse-ld=lld)
LDFLAGS := -pthread $(LINKER) $(SAN_FLAGS) $(EXTRA_LDFLAGS)

VERSION := $(shell sed -n 's/.*"\([0-9]*\.[0-9]*\.[0-9]*\)".*/\1/p' src/base/version.cc 2>/dev/null | head -1)

# $(call say,CXX,file): the short line of a recipe; with V=1 the whole command is shown instead.
ifeq ($(V),1)
Q :=
say = @:
else
Q := @
say = @printf '%-8s %s\n' '$(1)' '$(2)'
endif
