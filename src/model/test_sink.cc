#include "model/test_sink.h"

#include <cmath>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "device/kernels.h"
#include "group/caller_stream.h"

namespace ps {
namespace {

std::vector<double> AsDoubles(const Tensor& tensor) {
  const TensorView& view = tensor.view();
  std::vector<char> bytes(view.bytes());
  tensor.CopyTo(bytes.data());
  TensorView from = view;
  from.data = bytes.data();
  from.device = DeviceId::Cpu();
  std::vector<double> doubles(static_cast<std::size_t>(view.size()));
  TensorView to = from;
  to.dtype = DType::kF64;
  to.data = doubles.data();
  CallerStream stream;
  ThrowIfError(Cast(&stream, to, from));
  ThrowIfError(stream.Synchronize());
  return doubles;
}

void CheckSame(int key, const TensorView& data, const Tensor& value) {
  if (data.dtype == value.view().dtype && data.size() == value.view().size()) return;
  ThrowIfError(Status::InvalidArgument("key " + std::to_string(key) +
                                       ": the array is not of the key's size "
                                       "and type"));
}

}  // namespace

double TestSink::ErrorOf(int key, const TensorView& data) {
  const Tensor value = tables_.Get(key);
  CheckSame(key, data, value);
  const std::vector<double> mine = AsDoubles(Tensor::Foreign(data));
  const std::vector<double> theirs = AsDoubles(value);
  double difference = 0;
  double sum = 0;
  for (std::size_t i = 0; i < mine.size(); ++i) {
    difference += std::abs(mine[i] - theirs[i]);
    sum += std::abs(mine[i]);
  }
  return difference == 0 ? 0 : difference / sum;
}

void TestSink::Set(int key, const TensorView& data) {
  const Tensor value = tables_.Get(key);
  CheckSame(key, data, value);
  Tensor::Foreign(data).CopyTo(value.view().data);
  tables_.Set(key, value.view().data);
}

void TestSink::Take(Merged&& merged, Done done) {
  merged.Own(scratch_.get());  // the result is no device's array
  const Tensor result = merged.values;
  tables_.Take(std::move(merged), [result, done = std::move(done)](const Result<Tensor>& updated) {
    updated.ok() ? done(result) : done(updated.status());
  });
}

// Nobody asks: there is no value but those of rounds.
void TestSink::Read(int key, int, Done done) {
  done(Status::FailedPrecondition("key " + std::to_string(key) + " has no value but that of its rounds"));
}

}  // namespace ps
