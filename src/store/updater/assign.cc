#include <string>

#include "base/copy.h"
#include "store/updater/builtin.h"
#include "store/updater/options.h"

namespace ps {
namespace {

// The last contribution replaces the values, of any dtype.
class Assign final : public Updater {
 public:
  explicit Assign(std::size_t element_bytes) : element_bytes_(element_bytes) {}

  Status Configure(const UpdaterOptions& options) override { return SetOptions("assign", options, {}); }
  Shortcut shortcut() const override { return Shortcut::kAssign; }
  void Update(const UpdateRun* runs, std::size_t num_runs, const UpdateContext&) override {
    for (std::size_t r = 0; r < num_runs; ++r)
      CopyBytes(runs[r].values, runs[r].delta, runs[r].size * element_bytes_);
  }

 private:
  const std::size_t element_bytes_;
};

}  // namespace

MadeUpdater MakeAssign(const UpdaterTarget& target) {
  return std::unique_ptr<Updater>(new Assign(SizeOf(target.dtype)));
}

}  // namespace ps
