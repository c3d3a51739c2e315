// mshadow-ps' example of this name, for any kind of devices; see ../dist_async_sum.cc.
#ifndef PS_EXAMPLES_MSHADOW_DIST_ASYNC_SUM_H_
#define PS_EXAMPLES_MSHADOW_DIST_ASYNC_SUM_H_

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <future>
#include <map>
#include <memory>
#include <vector>

#include "examples/mshadow/tensor.h"
#include "ps/mshadow_ps.h"

namespace mshadow::ps {

// Adds what comes to the weights that it was given to keep.
template <typename DType>
class Updater : public IModelUpdater<DType> {
 protected:
  void InitModel_(int key, Tensor<cpu, 1, DType> data) override {
    data = DType(0);
    data_[key] = data;
  }
  void Update_(int key, Tensor<cpu, 1, DType> data) override {
    for (index_t i = 0; i < data.size(0); ++i) data_[key].dptr_[i] += data.dptr_[i];
  }

 private:
  std::map<int, Tensor<cpu, 1, DType>> data_;
};

template <typename DType>
IModelUpdater<DType>* CreateModelUpdater() {
  return new Updater<DType>();
}

}  // namespace mshadow::ps

namespace dist_async_sum {

constexpr mshadow::index_t kColumns = 3;

template <typename xpu>
using Model = mshadow::ps::ISharedModel<xpu, float>;
template <typename xpu>
using Data = mshadow::TensorContainer<xpu, 2>;

template <typename xpu>
void Pull(Model<xpu>* model, int device, const Data<xpu>& data) {
  model->PullReq(data[0], 0, device);
  model->PullReq(data[1], 1, device);
  model->PullWait(0, device);
  model->PullWait(1, device);
}

// What a device adds to key 1: its number. GPUs count from 0, which would add nothing.
template <typename xpu>
float ValueOf(int device) {
  return static_cast<float>(xpu::kDevCPU ? device : device + 1);
}

// What a device sees after its push.
template <typename xpu>
std::vector<float> RunDevice(int device, Model<xpu>* model) {
  const ps::DeviceScope scope(model->shared_model(), device);
  mshadow::SetDevice<xpu>(device);
  mshadow::Stream<xpu>* const stream = mshadow::NewStream<xpu>();
  std::vector<float> seen;
  {
    Data<xpu> data(mshadow::Shape2(2, kColumns));
    data.set_stream(stream);
    model->InitKey(data[0].shape_, 0, device);
    model->InitKey(data[1].shape_, 1, device);
    Pull<xpu>(model, device, data);  // zeros, or what others have pushed already
    data[0] = 0.0F;
    data[1] = ValueOf<xpu>(device);
    model->Push(data[0], 0, device);
    model->Push(data[1], 1, device);
    Pull<xpu>(model, device, data);
    seen = data.Values();
  }
  mshadow::DeleteStream(stream);
  return seen;
}

// Values that all are `value` times 0 (the first row) or 1.
inline bool IsRight(const std::vector<float>& values, float value) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i] != (i < kColumns ? 0 : value)) return false;
  }
  return true;
}

template <typename xpu>
bool RunWorker(const std::vector<int>& devices) {
  const std::unique_ptr<Model<xpu>> model(mshadow::ps::CreateSharedModel<xpu, float>("dist"));
  model->Init(devices);
  std::vector<std::future<std::vector<float>>> threads;
  for (const int device : devices)
    threads.push_back(std::async(std::launch::async, RunDevice<xpu>, device, model.get()));
  std::vector<std::vector<float>> seen;
  for (auto& thread : threads) seen.push_back(thread.get());

  float own = 0;  // what this worker adds
  for (const int device : devices) own += ValueOf<xpu>(device);
  const float after = seen[0][kColumns];
  bool is_right = false;  // its own, and what of others has come before
  for (int workers = 1; workers <= ps::NumWorkers(); ++workers)
    is_right = is_right || after == own * static_cast<float>(workers);
  for (const std::vector<float>& of_device : seen) is_right = is_right && IsRight(of_device, after);
  std::printf("worker %d: key 1 is %g after its push\n", ps::MyRank(), static_cast<double>(after));

  ps::Postoffice::Get()->Barrier(0, ps::kWorkerGroup);  // now all have pushed
  mshadow::SetDevice<xpu>(devices[0]);
  const Data<xpu> data(mshadow::Shape2(2, kColumns));
  Pull<xpu>(model.get(), devices[0], data);
  const std::vector<float> at_last = data.Values();
  std::printf("worker %d: %g at last\n", ps::MyRank(), static_cast<double>(at_last[kColumns]));
  return is_right && IsRight(at_last, own * static_cast<float>(ps::NumWorkers()));
}

// The exit code.
template <typename xpu>
int Main(int argc, char** argv) {
  std::vector<int> devices;
  for (int i = 1; i < argc; ++i) devices.push_back(std::atoi(argv[i]));
  if (devices.empty()) {
    std::fprintf(stderr, "usage: tracker/local.sh 1 3 %s DEVICE...   (numbers, such as 1 2)\n", argv[0]);
    return 2;
  }
  try {
    if (!ps::IsWorker()) {
      mshadow::ps::RunServer<float>(argc, argv);
      return 0;
    }
    if (RunWorker<xpu>(devices)) return 0;
    std::fprintf(stderr, "%s: a sum is wrong\n", argv[0]);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", argv[0], error.what());
  }
  return 1;
}

}  // namespace dist_async_sum

#endif  // PS_EXAMPLES_MSHADOW_DIST_ASYNC_SUM_H_
