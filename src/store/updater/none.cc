#include <string>

#include "store/updater/builtin.h"
#include "store/updater/options.h"

namespace ps {
namespace {

// A table's rule before somebody has chosen one: the server refuses contributions, so that nothing comes
// here.
class None final : public Updater {
 public:
  Status Configure(const UpdaterOptions& options) override { return SetOptions(kNoUpdater, options, {}); }
  void Update(const UpdateRun*, std::size_t, const UpdateContext&) override {}
};

}  // namespace

MadeUpdater MakeNone(const UpdaterTarget&) { return std::unique_ptr<Updater>(new None()); }

}  // namespace ps
