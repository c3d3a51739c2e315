// Options of updaters: read from text into structs that are declared with dmlc/parameter.h.
#ifndef PS_STORE_UPDATER_OPTIONS_H_
#define PS_STORE_UPDATER_OPTIONS_H_

#include <dmlc/parameter.h>

#include <string>
#include <vector>

#include "ps/status.h"
#include "ps/updater.h"

namespace ps {

// One struct of options: where it lies, and dmlc's description of it. Borrows the struct.
struct OptionGroup {
  void* head;
  const dmlc::parameter::ParamManager* fields;

  template <typename Options>
  static OptionGroup Of(Options* options) {
    return {options, Options::__MANAGER__()};
  }
};

// Sets what `options` names, by name or other name; everything else keeps its value. kInvalidArgument begins
// with `updater 'adam'`, names the option and says what it may be, or lists the options there are. The
// structs are then half set: give copies.
Status SetOptions(const std::string& updater, const UpdaterOptions& options,
                  const std::vector<OptionGroup>& groups);

// Options as they are before any is set.
template <typename Options>
Options DefaultOptions() {
  Options options;
  options.Init(UpdaterOptions());
  return options;
}

}  // namespace ps

#endif  // PS_STORE_UPDATER_OPTIONS_H_
