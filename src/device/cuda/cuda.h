// What the rest of the layer asks of CUDA. No CUDA header is behind it: device/cuda/*.cu implement it where
// nvcc builds them, device/no_cuda.cc elsewhere.
#ifndef PS_DEVICE_CUDA_CUDA_H_
#define PS_DEVICE_CUDA_CUDA_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "device/device.h"
#include "device/kernels.h"
#include "device/row_plan.h"

namespace ps::cuda {

// Whether this build has CUDA.
bool IsBuilt();
// Ok when there is a device that can be used; else kUnavailable: support in this build, a driver, or any
// device is missing. Asked for once.
Status Available();
// 0 unless Available.
int NumDevices();
// kUnavailable: not Available, or there is no device of this number.
Result<std::unique_ptr<Device>> MakeDevice(int index);

// What a device is, for people: its name, its memory and what runs it. Its number is below NumDevices.
std::string Describe(int index);
// See device/devices.h; of different numbers.
Status EnablePeers(const std::vector<int>& devices);

// Those of device/kernels.h, for checked arguments.
Status Sum(Stream* stream, const TensorView& to, const std::vector<const void*>& from);
Status Scale(Stream* stream, const TensorView& values, double factor);
Status Cast(Stream* stream, const TensorView& to, const TensorView& from);
Status Fill(Stream* stream, const TensorView& to, double value);
Status GatherRows(Stream* stream, const RowPlan& plan, const TensorView& to, const TensorView& from);
Status ScatterRows(Stream* stream, const RowPlan& plan, const TensorView& to, const TensorView& from);
Status AddRows(Stream* stream, const RowPlan& plan, const TensorView& to, const TensorView& from);
Status UniqueRows(Stream* stream, const TensorView& ids, std::int64_t* count);
Status EncodeBits(Stream* stream, const BitRule& rule, const TensorView& gradient, float* residual,
                  const BitOutput& to);
Status DecodeAddBits(Stream* stream, const BitRule& rule, const std::uint8_t* codes,
                     const TensorView& values);
Status Update(Stream* stream, const rules::ElementRule& rule, const TensorView& values,
              const float* contribution, const std::vector<float*>& states);

}  // namespace ps::cuda

#endif  // PS_DEVICE_CUDA_CUDA_H_
