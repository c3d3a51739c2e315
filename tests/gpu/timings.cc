#include "tests/gpu/timings.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "device/kernels.h"
#include "ps/status.h"

namespace ps {
namespace {

constexpr int kRuns = 7;          // the median counts
constexpr int kCallsPerRun = 20;  // what starting and ending costs once, spread

class Timings {
 public:
  Timings(Device* device, std::size_t num_floats)
      : device_(device), size_(num_floats), stream_(device->NewStream()) {
    for (int i = 0; i < kArrays; ++i) {
      arrays_.push_back(device_->Allocate(Bytes()).value());
      ThrowIfError(Fill(stream_.get(), View(i), .001 * (i + 1)));
    }
    pinned_ = device_->AllocateStaging(Bytes()).value();
    pageable_.resize(size_);
    ThrowIfError(stream_->Synchronize());
  }
  ~Timings() {
    for (void* array : arrays_) device_->Free(array);
    device_->FreeStaging(pinned_);
  }
  Timings(const Timings&) = delete;
  Timings& operator=(const Timings&) = delete;

  void Print() {
    std::printf("\n%s, %zu floats (%.0f MB): medians of %d runs of %d calls\n",
                ToString(device_->id()).c_str(), size_, static_cast<double>(Bytes()) / 1e6, kRuns,
                kCallsPerRun);
    std::printf("%-34s %10s %12s %14s\n", "", "us", "GB/s", "of the copy");
    PrintWork();
    PrintTransfers();
  }

 private:
  static constexpr int kArrays = 6;

  // `floats`: read or written, for each element.
  void Line(const std::string& label, double floats, const std::function<Status()>& work) {
    const double us = Microseconds(work);
    const double rate = floats * static_cast<double>(Bytes()) / us / 1e3;
    if (floor_ == 0) floor_ = rate;
    std::printf("%-34s %10.1f %12.1f %13.0f%%\n", label.c_str(), us, rate, 100 * rate / floor_);
  }
  double Microseconds(const std::function<Status()>& work) {
    std::vector<double> runs;
    for (int run = 0; run <= kRuns; ++run) {
      const auto start = std::chrono::steady_clock::now();
      for (int i = 0; i < kCallsPerRun; ++i) ThrowIfError(work());
      ThrowIfError(stream_->Synchronize());
      const std::chrono::duration<double, std::micro> took = std::chrono::steady_clock::now() - start;
      if (run > 0) runs.push_back(took.count() / kCallsPerRun);  // the first one warms up
    }
    std::sort(runs.begin(), runs.end());
    return runs[runs.size() / 2];
  }

  void PrintWork() {
    floor_ = 0;
    Stream* const stream = stream_.get();
    Line("copy within the device", 2, [=] { return Copy(arrays_[0], arrays_[1]); });
    Line("sum of 4 arrays", 5, [=] {
      return Sum(stream, View(0), {arrays_[1], arrays_[2], arrays_[3], arrays_[4]});
    });
    Line("sum of 8 arrays (two steps)", 11, [=] {
      return Sum(
          stream, View(0),
          {arrays_[1], arrays_[2], arrays_[3], arrays_[4], arrays_[5], arrays_[2], arrays_[3], arrays_[4]});
    });
    Line("cast to halves", 1.5, [=] { return Cast(stream, Halves(5), View(1)); });
    Line("2-bit codes, encode", 3 + 1. / 16, [=] { return Encode(BitRule::kTwoBit); });
    Line("2-bit codes, decode and add", 2 + 1. / 16, [=] { return Decode(BitRule::kTwoBit); });
    Line("1-bit codes, encode", 3 + 1. / 32, [=] { return Encode(BitRule::kOneBit); });
    Line("1-bit codes, decode and add", 2 + 1. / 32, [=] { return Decode(BitRule::kOneBit); });
    Line("Adam", 7, [=] {
      const rules::Adam<float> adam = {{1, 10, 0}, {.9F, .999F}, .001F, 1e-8F};
      return Update(stream, adam, View(0), Floats(1), {Floats(2), Floats(3)});
    });
  }
  // In both directions, beside pinned memory, which needs no detour.
  void PrintTransfers() {
    for (const auto& [label, to_device] :
         {std::pair("to the device", true), std::pair("from the device", false)}) {
      floor_ = 0;
      for (const auto& [kind, memory] :
           {std::pair("pinned memory ", pinned_), std::pair("pageable memory ", Pageable())}) {
        const bool is_in = to_device;
        void* const host = memory;
        Line(std::string(kind) + label, 1,
             [=] { return is_in ? Copy(arrays_[0], host) : Copy(host, arrays_[0]); });
      }
    }
  }

  Status Copy(void* to, const void* from) {
    stream_->Copy(to, from, Bytes());
    return Status::Ok();
  }
  Status Encode(BitRule::Kind kind) {
    return EncodeBits(stream_.get(), {kind, .5F}, View(1), Floats(2),
                      {static_cast<std::uint8_t*>(arrays_[5]), static_cast<std::int64_t*>(pinned_)});
  }
  Status Decode(BitRule::Kind kind) {
    return DecodeAddBits(stream_.get(), {kind, .5F}, static_cast<const std::uint8_t*>(arrays_[5]), View(0));
  }

  std::size_t Bytes() const { return size_ * sizeof(float); }
  float* Floats(int i) const { return static_cast<float*>(arrays_[static_cast<std::size_t>(i)]); }
  void* Pageable() { return pageable_.data(); }
  TensorView View(int i) const {
    return {Floats(i), {static_cast<std::int64_t>(size_)}, DType::kF32, device_->id(), nullptr};
  }
  TensorView Halves(int i) const {
    TensorView view = View(i);
    view.dtype = DType::kF16;
    return view;
  }

  Device* const device_;
  const std::size_t size_;
  const std::unique_ptr<Stream> stream_;
  std::vector<void*> arrays_;
  void* pinned_ = nullptr;
  std::vector<float> pageable_;
  double floor_ = 0;  // GB/s of the copy that lines stand beside; 0: the next line is it
};

}  // namespace

void PrintTimings(Device* device, std::size_t num_floats) { Timings(device, num_floats).Print(); }

}  // namespace ps
