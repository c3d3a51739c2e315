// The library without CUDA: left out where nvcc builds device/cuda/.
#include "device/cuda/borrow.h"
#include "device/cuda/cuda.h"
#include "device/nccl_group.h"

namespace ps::cuda {

bool IsBuilt() { return false; }

Status Available() {
  return Status::Unavailable(
      "this library was built without CUDA; build it with USE_CUDA=1 and nvcc on the PATH, or below "
      "USE_CUDA_PATH");
}

int NumDevices() { return 0; }

Result<std::unique_ptr<Device>> MakeDevice(int) { return Available(); }

Result<std::unique_ptr<Stream>> BorrowStream(Device*, void*) { return Available(); }

std::string Describe(int index) { return ToString(DeviceId::Cuda(index)); }

Status EnablePeers(const std::vector<int>&) { return Available(); }

// Nobody has a stream to call these with.
Status Sum(Stream*, const TensorView&, const std::vector<const void*>&) { return Available(); }
Status Scale(Stream*, const TensorView&, double) { return Available(); }
Status Cast(Stream*, const TensorView&, const TensorView&) { return Available(); }
Status Fill(Stream*, const TensorView&, double) { return Available(); }
Status GatherRows(Stream*, const RowPlan&, const TensorView&, const TensorView&) { return Available(); }
Status ScatterRows(Stream*, const RowPlan&, const TensorView&, const TensorView&) { return Available(); }
Status AddRows(Stream*, const RowPlan&, const TensorView&, const TensorView&) { return Available(); }
Status UniqueRows(Stream*, const TensorView&, std::int64_t*) { return Available(); }
Status EncodeBits(Stream*, const BitRule&, const TensorView&, float*, const BitOutput&) {
  return Available();
}
Status DecodeAddBits(Stream*, const BitRule&, const std::uint8_t*, const TensorView&) { return Available(); }
Status Update(Stream*, const rules::ElementRule&, const TensorView&, const float*,
              const std::vector<float*>&) {
  return Available();
}

}  // namespace ps::cuda

namespace ps {

Result<std::unique_ptr<NcclGroup>> MakeNcclGroup(const std::vector<DeviceId>&) { return cuda::Available(); }

}  // namespace ps
