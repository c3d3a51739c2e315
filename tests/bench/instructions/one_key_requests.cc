// What instructions.py and hops.py count: `one_key_requests OPERATION N [inline]` is a node whose worker
// issues N requests for one key: push or pull, at most 256 open, or ping: pulls of 16 floats, one after the
// other. The server runs the default handle. At its end a node prints how often its threads have waited, and
// were taken off their processors.
#include <sys/resource.h>

#include <cstdio>
#include <cstdlib>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "ps/ps.h"

namespace {

using Worker = ps::KVWorker<float>;

void InWindow(Worker* worker, int count, size_t window, const std::function<int(int)>& issue) {
  std::deque<int> open;
  for (int i = 0; i < count; ++i) {
    if (open.size() == window) {
      worker->Wait(open.front());
      open.pop_front();
    }
    open.push_back(issue(i));
  }
  for (const int timestamp : open) worker->Wait(timestamp);
}

void Work(const std::string& operation, int count) {
  constexpr size_t kWindow = 256;
  Worker worker(0, 0);
  const ps::SArray<ps::Key> keys = {7};
  const ps::SArray<float> vals(operation == "ping" ? 16 : 1, 1);
  const int pushes = operation == "push" ? count : 1;
  InWindow(&worker, pushes, kWindow, [&](int) { return worker.ZPush(keys, vals); });
  if (operation != "push") {
    const size_t window = operation == "ping" ? 1 : kWindow;
    std::vector<ps::SArray<float>> pulled(window, ps::SArray<float>(vals.size()));
    InWindow(&worker, count, window,
             [&](int i) { return worker.ZPull(keys, &pulled[static_cast<size_t>(i) % window]); });
  }
  ps::SArray<float> sum;
  worker.Wait(worker.ZPull(keys, &sum));
  CHECK_EQ(sum[0], static_cast<float>(pushes));
}

}  // namespace

int main(int argc, char** argv) {
  const std::string operation = argc > 1 ? argv[1] : "push";
  try {
    ps::Start(0);
    std::unique_ptr<ps::KVServer<float>> server;
    if (ps::IsServer()) {
      server = std::make_unique<ps::KVServer<float>>(0);
      server->set_request_handle(ps::KVServerDefaultHandle<float>(),
                                 argc > 3 ? ps::kInline : ps::kOnAppThread);
    }
    if (ps::IsWorker()) Work(operation, argc > 2 ? std::atoi(argv[2]) : 0);
    ps::Finalize(0);
  } catch (const std::exception& error) {
    std::printf("one_key_requests: %s\n", error.what());
    return 1;
  }
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  std::printf("switches %ld %ld\n", usage.ru_nvcsw, usage.ru_nivcsw);
  return 0;
}
