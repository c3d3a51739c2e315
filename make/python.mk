# The Python package: sources, the shared library beside them, and a wheel of both. Nothing is compiled for it, and
# nothing is fetched; see src/python/ps/__init__.py.

#: make python         build/python (for PYTHONPATH) and build/python/dist/*.whl (for pip)

PYTHON_DIR := $(BUILD)/python
PYTHON_SRCS := $(wildcard src/python/ps/*.py src/python/ps/py.typed)
PYTHON_STAGED := $(PYTHON_SRCS:src/python/%=$(PYTHON_DIR)/%) $(PYTHON_DIR)/ps/$(SONAME)

$(PYTHON_DIR)/ps/%: src/python/ps/%
	@mkdir -p $(@D)
	@cp -p $< $@

# Without what debuggers read, a quarter of the size.
$(PYTHON_DIR)/ps/$(SONAME): $(BUILD)/$(SONAME)
	$(call say,STRIP,$@)
	@mkdir -p $(@D)
	$(Q)strip --strip-debug -o $@ $<

# Modules that are not there any more go.
$(BUILD)/python.list: FORCE
	$(call keep,$(PYTHON_STAGED))
$(PYTHON_DIR)/.stamp: $(PYTHON_STAGED) $(BUILD)/python.list
	@for file in $$(find $(PYTHON_DIR)/ps -type f -not -name '*.pyc'); do \
	  case ' $(PYTHON_STAGED) ' in *" $$file "*) ;; *) rm -f $$file ;; esac; done
	@touch $@

# setuptools works in a copy: it leaves things beside what it packs.
$(PYTHON_DIR)/dist/.stamp: $(PYTHON_DIR)/.stamp src/python/pyproject.toml src/python/build_wheel.py | $(BUILD)/deps-python
	@rm -rf $(PYTHON_DIR)/dist $(PYTHON_DIR)/wheel
	@mkdir -p $(PYTHON_DIR)/dist $(PYTHON_DIR)/wheel/ps
	@cp src/python/pyproject.toml LICENSE $(PYTHON_DIR)/wheel/
	@cp $(PYTHON_STAGED) $(PYTHON_DIR)/wheel/ps/
	@echo $(VERSION) > $(PYTHON_DIR)/wheel/VERSION
	$(call say,WHEEL,$(PYTHON_DIR)/dist)
	$(Q)$(PYTHON) src/python/build_wheel.py $(PYTHON_DIR)/wheel $(PYTHON_DIR)/dist
	@rm -rf $(PYTHON_DIR)/wheel
	@touch $@

.PHONY: python
python: $(PYTHON_DIR)/.stamp $(PYTHON_DIR)/dist/.stamp
	@echo 'the package is in $(PYTHON_DIR), its wheel is $(wildcard $(PYTHON_DIR)/dist/*.whl)'
	@echo 'next: export PYTHONPATH=$(abspath $(PYTHON_DIR))'
