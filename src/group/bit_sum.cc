#include "group/bit_sum.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "group/caller_stream.h"
#include "group/sources.h"
#include "store/codec/finite.h"

namespace ps {
namespace {

// Codes of a piece: 2 bits of each element at most.
using PieceCodes = std::array<std::uint8_t, Workers::kPiece / 4>;

}  // namespace

BitSum::BitSum(Resources* resources, std::uint64_t key, const BitRule& rule)
    : resources_(resources), key_(key), rule_(rule) {}

Tensor BitSum::Sum(const DeviceId& owner, const std::vector<Tensor>& values) {
  // Without the lock: who writes them may be busy with another sum.
  for (const Tensor& value : values) static_cast<void>(value.Data());
  MutexLock lock(mutex_);
  const std::vector<Part> parts = PartsOf(values);
  Tensor sum = resources_->scratch->TakeTensor(values.front().view().shape, DType::kF32, owner);
  if (sum.view().bytes() == 0) return sum;
  const bool is_on_host =
      resources_->IsHost(owner) && std::all_of(parts.begin(), parts.end(), [this](const Part& part) {
        return resources_->IsHost(part.gradient.device);
      });
  is_on_host ? SumOnHost(sum.view(), parts) : SumOnStreams(sum.view(), parts);
  return sum;
}

std::vector<BitSum::Part> BitSum::PartsOf(const std::vector<Tensor>& values) {
  std::vector<Part> parts;
  for (const Tensor& value : values) {
    const TensorView& gradient = value.view();
    const auto place =
        static_cast<std::size_t>(std::count_if(parts.begin(), parts.end(), [&](const Part& part) {
          return part.gradient.device == gradient.device;
        }));
    parts.push_back({gradient, Residual(gradient, place)});
  }
  return parts;
}

float* BitSum::Residual(const TensorView& gradient, std::size_t place) {
  const DeviceId& device = gradient.device;
  Tensor& residual = residuals_[Name(device.kind, device.index, place)];
  if (residual.is_none()) residual = Tensor::Full({gradient.size()}, 0, DType::kF32, device);
  if (residual.view().size() != gradient.size())
    ThrowIfError(Status::InvalidArgument("The value size can't be changed. For key " + std::to_string(key_)));
  return static_cast<float*>(residual.view().data);
}

void BitSum::SumOnHost(const TensorView& sum, const std::vector<Part>& parts) const {
  CheckFinite(parts);
  resources_->workers.Split(static_cast<std::size_t>(sum.size()), 1, [&](std::size_t begin, std::size_t end) {
    SumPiece(PartOf(sum, begin, end), parts, begin);
  });
}

void BitSum::SumPiece(const TensorView& sum, const std::vector<Part>& parts, std::size_t begin) const {
  std::memset(sum.data, 0, sum.bytes());
  const std::size_t end = begin + static_cast<std::size_t>(sum.size());
  CallerStream stream;
  PieceCodes codes;
  for (const Part& part : parts) {
    std::int64_t num_refused = 0;
    ThrowIfError(EncodeBits(&stream, rule_, PartOf(part.gradient, begin, end), part.residual + begin,
                            {codes.data(), &num_refused}));
    ThrowIfError(DecodeAddBits(&stream, rule_, codes.data(), sum));
    ThrowIfError(stream.Synchronize());
  }
}

void BitSum::CheckFinite(const std::vector<Part>& parts) const {
  const auto count = static_cast<std::size_t>(parts.front().gradient.size());
  resources_->workers.Split(count, 1, [&](std::size_t begin, std::size_t end) {
    for (const Part& part : parts) {
      const TensorView piece = PartOf(part.gradient, begin, end);
      if (CheckFiniteSums(DType::kF32, piece.data, part.residual + begin, end - begin).ok()) continue;
      // Again from the front, for the first one's place in the whole.
      const Status first = CheckFiniteSums(DType::kF32, part.gradient.data, part.residual, count);
      throw Refusal(part, first.message());
    }
  });
}

void BitSum::SumOnStreams(const TensorView& sum, const std::vector<Part>& parts) const {
  const std::size_t bytes = BytesOfBits(rule_, static_cast<std::size_t>(sum.size()));
  std::vector<std::int64_t> num_refused(parts.size(), 0);
  Sources sources(resources_, sum.device);
  std::vector<std::uint8_t*> codes;
  for (const Part& part : parts)
    codes.push_back(static_cast<std::uint8_t*>(sources.Block(part.gradient.device, bytes)));
  std::vector<const std::uint8_t*> brought;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const DeviceId& device = parts[i].gradient.device;
    Stream* const stream = sources.On(device);
    ThrowIfError(
        EncodeBits(stream, rule_, parts[i].gradient, parts[i].residual, {codes[i], &num_refused[i]}));
    brought.push_back(static_cast<const std::uint8_t*>(sources.BringWritten(device, codes[i], bytes)));
  }
  Stream* const owner = sources.Ready();
  ThrowIfError(Fill(owner, sum, 0));
  for (const std::uint8_t* const from : brought) ThrowIfError(DecodeAddBits(owner, rule_, from, sum));
  ThrowIfError(sources.Wait());
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (num_refused[i] != 0)
      throw Refusal(parts[i], std::to_string(num_refused[i]) + " elements are not finite");
  }
}

Error BitSum::Refusal(const Part& part, const std::string& why) const {
  return Error(Status::InvalidArgument("key " + std::to_string(key_) + " on " +
                                       ToString(part.gradient.device) + " can not be compressed: " + why));
}

}  // namespace ps
