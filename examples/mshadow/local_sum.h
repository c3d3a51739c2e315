// mshadow-ps' example of this name, for any kind of devices; see ../local_sum.cc.
#ifndef PS_EXAMPLES_MSHADOW_LOCAL_SUM_H_
#define PS_EXAMPLES_MSHADOW_LOCAL_SUM_H_

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <future>
#include <memory>
#include <vector>

#include "examples/mshadow/tensor.h"
#include "ps/mshadow_ps.h"

// Without an updater on the server, sums are what is pulled. It has to be said.
template <>
mshadow::ps::IModelUpdater<float>* mshadow::ps::CreateModelUpdater() {
  return nullptr;
}

namespace local_sum {

// The thread of a device: what its rows are in the end.
template <typename xpu>
std::vector<float> RunDevice(int device, mshadow::ps::ISharedModel<xpu, float>* model) {
  const ps::DeviceScope scope(model->shared_model(), device);
  mshadow::SetDevice<xpu>(device);
  mshadow::Stream<xpu>* const stream = mshadow::NewStream<xpu>();
  std::vector<float> values;
  {
    mshadow::TensorContainer<xpu, 2> data(mshadow::Shape2(2, 3));
    data.set_stream(stream);
    data[0] = 1.0F;
    data[1] = static_cast<float>(device) + 1.0F;
    model->InitKey(data[0].shape_, 0, device);
    model->InitKey(data[1].shape_, 1, device);
    model->Push(data[0], 0, device);
    model->PullReq(data[0], 0, device);
    model->Push(data[1], 1, device);
    model->PullReq(data[1], 1, device);
    // Here is time to compute something else.
    model->PullWait(0, device);
    model->PullWait(1, device);
    values = data.Values();
  }
  mshadow::DeleteStream(stream);
  return values;
}

template <typename xpu>
bool Run(const std::vector<int>& devices) {
  const std::unique_ptr<mshadow::ps::ISharedModel<xpu, float>> model(
      mshadow::ps::CreateSharedModel<xpu, float>("local"));
  model->Init(devices);
  std::vector<std::future<std::vector<float>>> threads;
  for (const int device : devices)
    threads.push_back(std::async(std::launch::async, RunDevice<xpu>, device, model.get()));

  std::vector<float> expected(6);
  for (const int device : devices) {
    for (std::size_t i = 0; i < 3; ++i) expected[i] += 1;
    for (std::size_t i = 3; i < 6; ++i) expected[i] += static_cast<float>(device) + 1;
  }
  bool is_right = true;
  for (std::size_t i = 0; i < devices.size(); ++i) {
    const std::vector<float> sums = threads[i].get();
    std::printf("device %d:", devices[i]);
    for (const float value : sums) std::printf(" %g", static_cast<double>(value));
    std::printf("\n");
    is_right = is_right && sums == expected;
  }
  return is_right;
}

// The exit code.
template <typename xpu>
int Main(const char* name, const std::vector<int>& devices) {
  if (devices.empty()) {
    std::fprintf(stderr, "usage: %s DEVICE...   (numbers, such as 0 1 2)\n", name);
    return 2;
  }
  try {
    if (Run<xpu>(devices)) return 0;
    std::fprintf(stderr, "%s: a sum is wrong\n", name);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", name, error.what());
  }
  return 1;
}

}  // namespace local_sum

#endif  // PS_EXAMPLES_MSHADOW_LOCAL_SUM_H_
