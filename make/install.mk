# Headers, both libraries, tools, Lua modules, tracker/local.sh as ps_local, ps.pc and psConfig.cmake. The last two describe
# themselves by their own place, so that the installed tree may be moved.

#: make install PREFIX=/usr/local DESTDIR=

PREFIX ?= /usr/local
DESTDIR ?=
INSTALL_ROOT := $(DESTDIR)$(PREFIX)
CMAKE_DIR := $(INSTALL_ROOT)/lib/cmake/ps
# $(call fill,file): a template of make/ with its version, and what the static library needs of CUDA, put in.
CUDA_LIST = $(if $(NVCC),$(CUDART);dl;rt;)
fill = sed -e 's|@VERSION@|$(VERSION)|g' -e 's|@CUDA_LIBS@|$(CUDA_STATIC_LIBS)|; s|@CUDA_LIST@|$(CUDA_LIST)|; s| *$$||' make/$(1).in

.PHONY: install
install: $(LIB_A) $(LIB_SO) $(TOOL_BINS)
	$(call say,INSTALL,$(INSTALL_ROOT))
	@install -d $(INSTALL_ROOT)/lib/pkgconfig $(CMAKE_DIR) $(if $(TOOL_BINS),$(INSTALL_ROOT)/bin)
	@cd include && find ps -name '*.h' -exec install -D -m 644 {} $(abspath $(INSTALL_ROOT))/include/{} \;
	@install -m 644 $(LIB_A) $(INSTALL_ROOT)/lib/
	@install -m 755 $(BUILD)/$(SONAME) $(INSTALL_ROOT)/lib/
	@ln -sf $(SONAME) $(INSTALL_ROOT)/lib/libps.so
	@$(if $(TOOL_BINS),install -m 755 $(TOOL_BINS) $(INSTALL_ROOT)/bin/,:)
	@$(if $(TOOL_BINS),install -m 755 tracker/local.sh $(INSTALL_ROOT)/bin/ps_local,:)
	@cd src/lua && find . -name '*.lua' -exec install -D -m 644 {} $(abspath $(INSTALL_ROOT))/share/lua/5.1/{} \;
	@$(call fill,ps.pc) > $(INSTALL_ROOT)/lib/pkgconfig/ps.pc
	@$(call fill,psConfig.cmake) > $(CMAKE_DIR)/psConfig.cmake
	@$(call fill,psConfigVersion.cmake) > $(CMAKE_DIR)/psConfigVersion.cmake
