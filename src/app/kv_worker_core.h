#ifndef PS_APP_KV_WORKER_CORE_H_
#define PS_APP_KV_WORKER_CORE_H_

#include <atomic>
#include <memory>
#include <vector>

#include "app/slicer.h"
#include "base/mutex.h"
#include "ps/kv_worker.h"
#include "ps/status.h"

namespace ps {

class CustomerCore;

// A KVWorker on bytes: checks a call, cuts it into slices, sends them, and gathers what comes back.
// Thread-safe.
class KVWorkerCore {
 public:
  KVWorkerCore(CustomerCore* customer, const ElementType& element);

  // The timestamp. Throws Error(kInvalidArgument) before anything is sent.
  int Issue(KVCall&& call);
  void set_slicer(ByteSlicer slicer);

 private:
  Status Check(const KVCall& call) const;
  int OnlyServer(const KVCall& call);
  int IssueToOne(KVCall* call, int rank);
  int IssueSlices(KVCall* call, std::vector<Slice> slices);
  Result<std::vector<Slice>> Cut(const KVCall& call);
  Result<std::vector<Slice>> CutBySlicer(const ByteSlicer& slicer, const KVCall& call,
                                         const std::vector<Range>& ranges) const;
  void WarnIfLopsided(const std::vector<Slice>& slices);
  void Send(const KVCall& call, int timestamp, int rank, KVBytes&& data);

  CustomerCore* const customer_;
  const ElementType element_;
  std::atomic<bool> has_slicer_{false};
  Mutex mutex_;
  std::shared_ptr<const ByteSlicer> slicer_ PS_GUARDED_BY(mutex_);  // null: by PS_KEY_PARTITION
  bool lopsided_reported_ PS_GUARDED_BY(mutex_) = false;
};

}  // namespace ps
#endif  // PS_APP_KV_WORKER_CORE_H_
