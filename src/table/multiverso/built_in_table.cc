#include "ps/multiverso/built_in_table.h"

#include <chrono>
#include <utility>

#include "base/mutex.h"
#include "table/multiverso/request_ids.h"
#include "table/multiverso/session.h"

namespace multiverso {

class BuiltInTable::Impl {
 public:
  Impl(ps::Store& store, const ps::TableSpec& spec, const ps::TableReading& reading)
      : core(store, spec, reading),
        worker_(store.rank()),
        num_workers_(store.num_workers()),
        buffers_(reading.buffers) {}

  ps::TableAddOptions Adding(const Call& call, const ps::TableCore::In& values) {
    ps::TableAddOptions options = RatesOf(call);
    options.borrow = call.keep != nullptr && values.size != 0;
    options.keep = call.keep;
    return options;
  }

  // Multiverso tells the buffers of a worker apart by ids: that of the worker, and, of the second one, W
  // more.
  ps::TableGetOptions Reading(const Call& call) const {
    ps::TableGetOptions options;
    options.keep = call.keep;
    if (call.get_option == nullptr) return options;
    const int id = call.get_option->worker_id();
    if (id < 0) {
      options.buffer = ps::TableGetOptions::kFull;
    } else if (id == worker_ + num_workers_ && buffers_ > 1) {
      options.buffer = 1;
    } else if (id != worker_) {
      throw ps::Error(ps::Status::InvalidArgument(
          "GetOption: worker " + std::to_string(worker_) + " reads for itself (" + std::to_string(worker_) +
          (buffers_ > 1 ? ", or " + std::to_string(worker_ + num_workers_) + " for its second buffer" : "") +
          ", or -1), not for " + std::to_string(id)));
    }
    return options;
  }

  // Runs an Add. Where it is refused its rates have not been said.
  template <typename Code>
  auto Say(Code add) {
    try {
      return add();
    } catch (...) {
      ps::MutexLock lock(mutex_);
      said_.clear();
      throw;
    }
  }

  ps::TableCore core;
  RequestIds ids;

 private:
  // What this worker says, if it is not what it has said last.
  ps::TableAddOptions RatesOf(const Call& call) {
    if (call.add_option == nullptr) return {};
    ps::TableAddOptions options = RatesFor(*call.add_option, core.table().spec().updater);
    ps::MutexLock lock(mutex_);
    std::string text = options.RuleText();
    if (text == said_) return {};
    said_ = std::move(text);
    return options;
  }

  const int worker_;
  const int num_workers_;
  const int buffers_;
  ps::Mutex mutex_;
  std::string said_ PS_GUARDED_BY(mutex_);
};

std::shared_ptr<BuiltInTable> BuiltInTable::Make(const ps::TableSpec& shape,
                                                 const ps::TableReading& reading) {
  Session& session = Session::Current();
  ps::TableSpec spec = shape;
  session.FillIn(&spec);
  auto table = std::make_shared<BuiltInTable>(session.store(), spec, reading);
  session.KeepUntilEnd(table);
  return table;
}

BuiltInTable::BuiltInTable(ps::Store& store, const ps::TableSpec& spec, const ps::TableReading& reading)
    : impl_(std::make_unique<Impl>(store, spec, reading)) {}
BuiltInTable::~BuiltInTable() = default;

void BuiltInTable::Get(const Call& call, const ps::TableCore::Out& to) {
  impl_->core.Get(call.target, to, impl_->Reading(call));
  if (call.finish) call.finish();
}

int BuiltInTable::GetAsync(const Call& call, const ps::TableCore::Out& to) {
  return impl_->ids.Add(impl_->core.GetAsync(call.target, to, impl_->Reading(call)), call.finish);
}

void BuiltInTable::Add(const Call& call, const ps::TableCore::In& values) {
  impl_->Say([&] { impl_->core.Add(call.target, values, impl_->Adding(call, values)); });
}

int BuiltInTable::AddAsync(const Call& call, const ps::TableCore::In& values) {
  return impl_->Say(
      [&] { return impl_->ids.Add(impl_->core.AddAsync(call.target, values, impl_->Adding(call, values))); });
}

void BuiltInTable::Wait(int id) { impl_->ids.Wait(id); }

ps::Status BuiltInTable::Leave() {
  constexpr std::chrono::minutes kLong{1};
  return impl_->core.table().Leave().WaitFor(kLong);
}

std::size_t BuiltInTable::NumElements(const ps::TableCore::Target& target) const {
  return impl_->core.NumElements(target);
}

ps::StoreTable& BuiltInTable::store_table() { return impl_->core.table(); }

void BuiltInTable::Refuse(const std::string& what) const {
  throw ps::Error(ps::Status::InvalidArgument("table '" + impl_->core.table().spec().name + "': " + what));
}

}  // namespace multiverso
