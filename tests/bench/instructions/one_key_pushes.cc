// What instructions.py counts: `one_key_pushes N` is a node whose worker pushes one float N times, at most
// 256 pushes open; the server runs the default handle.
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <exception>
#include <memory>

#include "ps/ps.h"

namespace {

constexpr size_t kWindow = 256;

void Push(int count) {
  ps::KVWorker<float> worker(0, 0);
  const ps::SArray<ps::Key> keys = {7};
  const ps::SArray<float> vals = {1};
  std::deque<int> open;
  for (int i = 0; i < count; ++i) {
    if (open.size() == kWindow) {
      worker.Wait(open.front());
      open.pop_front();
    }
    open.push_back(worker.ZPush(keys, vals));
  }
  for (const int timestamp : open) worker.Wait(timestamp);
  float sum = 0;
  ps::SArray<float> pulled;
  worker.Wait(worker.ZPull(keys, &pulled));
  for (const float value : pulled) sum += value;
  CHECK_EQ(sum, static_cast<float>(count));
}

}  // namespace

int main(int argc, char** argv) {
  try {
    ps::Start(0);
    std::unique_ptr<ps::KVServer<float>> server;
    if (ps::IsServer()) {
      server = std::make_unique<ps::KVServer<float>>(0);
      server->set_request_handle(ps::KVServerDefaultHandle<float>());
    }
    if (ps::IsWorker()) Push(argc > 1 ? std::atoi(argv[1]) : 0);
    ps::Finalize(0);
  } catch (const std::exception& error) {
    std::printf("one_key_pushes: %s\n", error.what());
    return 1;
  }
  return 0;
}
