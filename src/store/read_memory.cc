#include "store/read_memory.h"

#include <algorithm>

namespace ps {

ReadMemory::ReadMemory() : impl_(std::make_unique<Impl>()) {}
ReadMemory::~ReadMemory() = default;
void ReadMemory::Forget() { impl_->Forget(); }

ReadMemory::Impl::OfServer& ReadMemory::Impl::Of(int server) {
  const auto index = static_cast<std::size_t>(server);
  if (index >= servers_.size()) servers_.resize(index + 1);
  return servers_[index];
}

ReadMemory::Impl::OfServer& ReadMemory::Impl::OfEpoch(int server, std::uint64_t epoch) {
  OfServer& of = Of(server);
  if (of.epoch != epoch) of = OfServer{epoch, 0, {}};
  return of;
}

ReadMemory::Impl::Plan ReadMemory::Impl::PlanOf(int server, const std::uint64_t* rows, std::size_t count) {
  MutexLock lock(mutex_);
  const OfServer& of = Of(server);
  Plan plan;
  plan.since = ~std::uint64_t{0};
  plan.epoch = of.epoch;
  for (std::size_t i = 0; i < count; ++i) {
    const auto found = of.single.find(rows[i]);
    const std::uint64_t version = found == of.single.end() ? of.all : std::max(of.all, found->second);
    (version == 0 ? plan.unseen : plan.seen).push_back(static_cast<std::uint32_t>(i));
    if (version != 0) plan.since = std::min(plan.since, version);
  }
  return plan;
}

ReadMemory::Impl::Plan ReadMemory::Impl::PlanOfAll(int server) {
  MutexLock lock(mutex_);
  const OfServer& of = Of(server);
  Plan plan;
  plan.since = of.all;
  plan.epoch = of.epoch;
  return plan;
}

void ReadMemory::Impl::SawAll(int server, std::uint64_t version, std::uint64_t epoch) {
  MutexLock lock(mutex_);
  OfServer& of = OfEpoch(server, epoch);
  of.all = std::max(of.all, version);
  of.single.clear();
}

void ReadMemory::Impl::Saw(int server, const std::vector<std::uint64_t>& rows, std::uint64_t version,
                           std::uint64_t epoch) {
  MutexLock lock(mutex_);
  OfServer& of = OfEpoch(server, epoch);
  for (const std::uint64_t row : rows) {
    std::uint64_t& seen = of.single[row];
    seen = std::max(seen, version);
  }
}

void ReadMemory::Impl::Forget() {
  MutexLock lock(mutex_);
  servers_.clear();
}

}  // namespace ps
