// Devices of several processes add up values at a server, nobody waiting for other processes. The server runs
// this program too, and with it the program's own rule for what becomes of a contribution.
//
//   tracker/local.sh 1 3 build/examples/dist_async_sum 1 2
//
// Key 0 gets zeros and stays 0. To key 1 each device adds its number, so that each worker adds the sum of
// them, 3: a worker sees 3, 6 or 9, the last one 9, and all of them do after a barrier.

#include <array>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <future>
#include <memory>
#include <vector>

#include "ps/ps.h"
#include "ps/run_server.h"
#include "ps/shared_model.h"

namespace {

constexpr int kNumKeys = 2;

// Adds what comes.
class Adder final : public ps::ModelUpdater {
 public:
  void Update(int /*key*/, const ps::TensorView& weight, const ps::TensorView& delta) override {
    auto* const sum = static_cast<float*>(weight.data);
    const auto* const came = static_cast<const float*>(delta.data);
    for (std::int64_t i = 0; i < weight.size(); ++i) sum[i] += came[i];
  }
};

using Values = std::array<float, kNumKeys>;  // by key

ps::TensorView ViewOf(float* value) {
  ps::TensorView view;
  view.data = value;
  view.shape = {1};
  return view;
}

void Pull(ps::SharedModel* model, int device, Values* values) {
  for (int key = 0; key < kNumKeys; ++key)
    model->PullReq(ViewOf(&(*values)[static_cast<std::size_t>(key)]), key, device);
  for (int key = 0; key < kNumKeys; ++key) model->PullWait(key, device);
}

// The thread of a device: what it sees after its push.
Values RunDevice(ps::SharedModel* model, int device) {
  const ps::DeviceScope scope(model, device);
  for (int key = 0; key < kNumKeys; ++key) model->InitKey({1}, key, device);
  Values seen{};
  Pull(model, device, &seen);  // zeros, or what others have pushed already
  Values pushed = {0, static_cast<float>(device)};
  for (int key = 0; key < kNumKeys; ++key)
    model->Push(ViewOf(&pushed[static_cast<std::size_t>(key)]), key, device);
  Pull(model, device, &seen);
  return seen;
}

bool RunWorker(const std::vector<int>& devices) {
  const std::unique_ptr<ps::SharedModel> model = ps::SharedModel::Create("dist");
  model->SetUpdater("dist_async_sum.adder");
  model->Init(devices);
  std::vector<std::future<Values>> threads;
  for (const int device : devices)
    threads.push_back(std::async(std::launch::async, RunDevice, model.get(), device));
  std::vector<Values> after;
  for (std::future<Values>& thread : threads) after.push_back(thread.get());

  float own = 0;  // what this worker adds
  for (const int device : devices) own += static_cast<float>(device);
  bool is_right = false;  // its own, and what of others has come before
  for (int workers = 1; workers <= ps::NumWorkers(); ++workers)
    is_right = is_right || after[0][1] == own * static_cast<float>(workers);
  for (const Values& seen : after) is_right = is_right && seen == after[0] && seen[0] == 0;
  std::printf("worker %d: key 1 is %g after its push\n", ps::MyRank(), static_cast<double>(after[0][1]));

  ps::Postoffice::Get()->Barrier(0, ps::kWorkerGroup);  // now all have pushed
  Values at_last{};
  Pull(model.get(), devices[0], &at_last);
  std::printf("worker %d: %g at last\n", ps::MyRank(), static_cast<double>(at_last[1]));
  return is_right && at_last[0] == 0 && at_last[1] == own * static_cast<float>(ps::NumWorkers());
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<int> devices;
  for (int i = 1; i < argc; ++i) devices.push_back(std::atoi(argv[i]));
  if (devices.empty()) {
    std::fprintf(stderr, "usage: tracker/local.sh 1 3 dist_async_sum DEVICE...   (numbers, such as 1 2)\n");
    return 2;
  }
  try {
    ps::ThrowIfError(ps::RegisterModelUpdater("dist_async_sum.adder",
                                              [](ps::DType) { return std::make_unique<Adder>(); }));
    if (!ps::IsWorker()) {
      ps::RunServer();  // the scheduler, or a server
      return 0;
    }
    if (RunWorker(devices)) return 0;
    std::fprintf(stderr, "dist_async_sum: a sum is wrong\n");
  } catch (const std::exception& error) {
    std::fprintf(stderr, "dist_async_sum: %s\n", error.what());
  }
  return 1;
}
