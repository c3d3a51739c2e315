// Devices of one process add up arrays by key.
//
//   build/examples/local_sum 0 1 2
//
// Each device has two rows, the first of ones, the second of its number and 1, and gets the sums of all.
// Devices of the processor may have any numbers.

#include <array>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <future>
#include <vector>

#include "ps/shared_model.h"

namespace {

constexpr int kNumKeys = 2;
constexpr std::size_t kColumns = 3;
using Rows = std::array<std::array<float, kColumns>, kNumKeys>;  // by key

ps::TensorView ViewOf(std::array<float, kColumns>* row) {
  ps::TensorView view;
  view.data = row->data();
  view.shape = {kColumns};
  return view;
}

// The thread of a device.
Rows RunDevice(ps::SharedModel* model, int device) {
  const ps::DeviceScope scope(model, device);
  Rows rows;
  rows[0].fill(1);
  rows[1].fill(static_cast<float>(device) + 1);
  for (int key = 0; key < kNumKeys; ++key) {
    const ps::TensorView row = ViewOf(&rows[static_cast<std::size_t>(key)]);
    model->InitKey(row.shape, key, device);
    model->Push(row, key, device);     // both return at once: here is time to compute something else
    model->PullReq(row, key, device);  // the sum will be where the row was
  }
  for (int key = 0; key < kNumKeys; ++key) model->PullWait(key, device);
  return rows;
}

bool Run(const std::vector<int>& devices) {
  const std::unique_ptr<ps::SharedModel> model = ps::SharedModel::Create("local");
  model->Init(devices);
  std::vector<std::future<Rows>> threads;
  for (const int device : devices)
    threads.push_back(std::async(std::launch::async, RunDevice, model.get(), device));

  Rows expected{};
  for (const int device : devices) {
    for (float& value : expected[0]) value += 1;
    for (float& value : expected[1]) value += static_cast<float>(device) + 1;
  }
  bool is_right = true;
  for (std::size_t i = 0; i < devices.size(); ++i) {
    const Rows sums = threads[i].get();
    std::printf("device %d:", devices[i]);
    for (const auto& row : sums) {
      for (const float value : row) std::printf(" %g", static_cast<double>(value));
    }
    std::printf("\n");
    is_right = is_right && sums == expected;
  }
  return is_right;
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<int> devices;
  for (int i = 1; i < argc; ++i) devices.push_back(std::atoi(argv[i]));
  if (devices.empty()) {
    std::fprintf(stderr, "usage: local_sum DEVICE...   (numbers, such as 0 1 2)\n");
    return 2;
  }
  try {
    if (Run(devices)) return 0;
    std::fprintf(stderr, "local_sum: a sum is wrong\n");
  } catch (const std::exception& error) {
    std::fprintf(stderr, "local_sum: %s\n", error.what());
  }
  return 1;
}
