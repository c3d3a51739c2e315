#include "group/row_sum.h"

#include <algorithm>
#include <cstring>

#include "device/kernels.h"
#include "group/caller_stream.h"
#include "group/row_union.h"
#include "group/sources.h"

namespace ps {
namespace {

// Rows `begin` to `end` of an array.
TensorView RowsOf(const TensorView& view, std::size_t begin, std::size_t end) {
  TensorView rows = view;
  rows.shape[0] = static_cast<std::int64_t>(end - begin);
  const std::size_t row_bytes = rows.bytes() / std::max<std::size_t>(end - begin, 1);
  rows.data = static_cast<char*>(view.data) + begin * row_bytes;
  return rows;
}

TensorView IdsView(const std::int64_t* ids, std::size_t count) {
  TensorView view;
  // Kernels read ids only.
  view.data = const_cast<std::int64_t*>(ids);
  view.shape = {static_cast<std::int64_t>(count)};
  view.dtype = DType::kI64;
  return view;
}

// The ids in the processor's memory: where they are, or in `copy`.
RowIds IdsOnHost(const Tensor& ids, std::vector<std::int64_t>* copy) {
  const auto count = static_cast<std::size_t>(ids.view().size());
  if (ids.view().device.kind == DeviceId::kCpu) return {static_cast<const std::int64_t*>(ids.Data()), count};
  copy->resize(count);
  ids.CopyTo(copy->data());
  return {copy->data(), count};
}

RowUnion UniteIds(const std::vector<Tensor>& values) {
  std::vector<std::vector<std::int64_t>> copies(values.size());
  std::vector<RowIds> ids;
  for (std::size_t i = 0; i < values.size(); ++i) ids.push_back(IdsOnHost(values[i].ids(), &copies[i]));
  return UniteRows(ids);
}

// A part of the sum's rows, with the rows of all sources that fall into it.
class RowPiece {
 public:
  RowPiece(const TensorView& sum, std::size_t begin, std::size_t end)
      : to_(RowsOf(sum, begin, end)), begin_(begin), end_(end) {
    if (to_.bytes() != 0) std::memset(to_.data, 0, to_.bytes());
  }
  void Add(const TensorView& values, const std::vector<std::int64_t>& places) {
    const auto from = std::lower_bound(places.begin(), places.end(), static_cast<std::int64_t>(begin_));
    const auto to = std::lower_bound(from, places.end(), static_cast<std::int64_t>(end_));
    ids_.assign(from, to);
    for (std::int64_t& id : ids_) id -= static_cast<std::int64_t>(begin_);
    const auto first = static_cast<std::size_t>(from - places.begin());
    if (ids_.empty()) return;
    const TensorView rows = RowsOf(values, first, first + ids_.size());
    ThrowIfError(AddRows(&stream_, to_, rows, IdsView(ids_.data(), ids_.size())));
    ThrowIfError(stream_.Synchronize());
  }

 private:
  const TensorView to_;
  const std::size_t begin_;
  const std::size_t end_;
  std::vector<std::int64_t> ids_;
  CallerStream stream_;
};

std::vector<TensorView> Brought(Sources* sources, const std::vector<Tensor>& values, const DeviceId& owner) {
  std::vector<TensorView> views;
  for (const Tensor& value : values) {
    TensorView view = value.values().view();
    view.data = const_cast<void*>(sources->Bring(value.values()));
    view.device = owner;
    views.push_back(view);
  }
  return views;
}

void SumOnHost(Workers* workers, const TensorView& sum, const RowUnion& rows,
               const std::vector<TensorView>& values) {
  const std::size_t num_rows = rows.ids.size();
  const std::size_t width = static_cast<std::size_t>(sum.size()) / std::max<std::size_t>(num_rows, 1);
  workers->Split(num_rows, width, [&](std::size_t begin, std::size_t end) {
    RowPiece piece(sum, begin, end);
    for (std::size_t i = 0; i < values.size(); ++i) piece.Add(values[i], rows.places[i]);
  });
}

void SumOnStream(Sources* sources, const TensorView& sum, const RowUnion& rows,
                 const std::vector<TensorView>& values) {
  Stream* const stream = sources->Ready();
  ThrowIfError(Fill(stream, sum, 0));
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::vector<std::int64_t>& places = rows.places[i];
    if (places.empty()) continue;
    const std::size_t bytes = places.size() * sizeof(std::int64_t);
    auto* const ids = static_cast<std::int64_t*>(sources->Block(sum.device, bytes));
    stream->Copy(ids, places.data(), bytes);
    TensorView view = IdsView(ids, places.size());
    view.device = sum.device;
    ThrowIfError(AddRows(stream, sum, values[i], view));
  }
}

}  // namespace

Tensor SumRows(Resources* resources, const DeviceId& owner, const std::vector<Tensor>& values) {
  const RowUnion rows = UniteIds(values);
  Tensor ids = Tensor::Empty({static_cast<std::int64_t>(rows.ids.size())}, DType::kI64, owner);
  ids.CopyFrom(rows.ids.data());
  Shape shape = values.front().view().shape;
  shape[0] = ids.view().shape[0];
  const Tensor sum = Tensor::Empty(shape, values.front().view().dtype, owner);
  Sources sources(resources, owner);
  const std::vector<TensorView> views = Brought(&sources, values, owner);
  if (resources->IsHost(owner)) {
    ThrowIfError(sources.Wait());
    SumOnHost(&resources->workers, sum.view(), rows, views);
  } else if (sum.view().bytes() != 0) {
    SumOnStream(&sources, sum.view(), rows, views);
  }
  ThrowIfError(sources.Wait());
  return Tensor::RowSparse(values.front().view().shape, ids, sum);
}

}  // namespace ps
