# Test error by epoch and by time, for several numbers of workers, kinds of consistency and languages: examples/curves.

#: make curves         trains MNIST with 1, 2 and 4 workers, in C++, Python and Lua; draws examples/curves/*.png
#: make curves CURVES_FRESH=1   results of runs that are there ($(BUILD)/curves) are not kept

CURVES_FRESH ?=

.PHONY: curves
curves: $(BUILD)/examples/mnist/mnist $(LIB_SO) | $(BUILD)/deps-curves
	@PS_BUILD=$(abspath $(BUILD)) examples/mnist/get_data.sh
	@PYTHON=$(PYTHON) $(PYTHON) examples/curves/curves.py --build $(BUILD) $(if $(filter-out 0,$(CURVES_FRESH)),--fresh)
