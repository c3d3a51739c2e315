#include "group/row_sum.h"

#include <algorithm>
#include <cstring>

#include "device/devices.h"
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

// The ids in the processor's memory: where they are, or in a block.
RowIds IdsOnHost(Resources* resources, const Tensor& ids, std::vector<Scratch::Block>* blocks) {
  const auto count = static_cast<std::size_t>(ids.view().size());
  if (ids.view().device.kind == DeviceId::kCpu) return {static_cast<const std::int64_t*>(ids.Data()), count};
  Device* const device = FindDevice(ids.view().device).value();
  blocks->push_back(resources->scratch->Take(device, Scratch::kStaging, ids.view().bytes()));
  ids.CopyTo(blocks->back().data());
  return {static_cast<const std::int64_t*>(blocks->back().data()), count};
}

// The rows of all tensors and of their sum, in the processor's memory.
struct Rows {
  std::vector<RowIds> sources;
  RowIds united;
  std::vector<Scratch::Block> blocks;  // where some of them lie
};

Rows UniteIds(Resources* resources, const std::vector<Tensor>& values) {
  Rows rows;
  std::size_t count = 0;
  for (const Tensor& value : values) {
    rows.sources.push_back(IdsOnHost(resources, value.ids(), &rows.blocks));
    count += rows.sources.back().count;
  }
  Device* const host = FindDevice(DeviceId::Cpu()).value();
  rows.blocks.push_back(resources->scratch->Take(host, Scratch::kOnDevice, count * sizeof(std::int64_t)));
  auto* const united = static_cast<std::int64_t*>(rows.blocks.back().data());
  rows.united = {united, UniteRows(rows.sources, united)};
  return rows;
}

// Some rows of the sum, which get those rows of all sources that are among them.
class RowPiece {
 public:
  RowPiece(const TensorView& sum, const RowIds& united, std::size_t begin, std::size_t end)
      : to_(RowsOf(sum, begin, end)), united_{united.ids + begin, end - begin} {
    if (to_.bytes() != 0) std::memset(to_.data, 0, to_.bytes());
  }
  void Add(const TensorView& values, const RowIds& ids) {
    const RowIds rows = RowsBetween(ids, united_.ids[0], united_.ids[united_.count - 1]);
    if (rows.count == 0) return;
    places_.resize(rows.count);
    PlaceRows(rows, united_, places_.data());
    const auto first = static_cast<std::size_t>(rows.ids - ids.ids);
    const TensorView from = RowsOf(values, first, first + rows.count);
    ThrowIfError(AddRows(&stream_, to_, from, IdsView(places_.data(), rows.count)));
    ThrowIfError(stream_.Synchronize());
  }

 private:
  const TensorView to_;
  const RowIds united_;
  std::vector<std::int64_t> places_;
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

void SumOnHost(Workers* workers, const TensorView& sum, const Rows& rows,
               const std::vector<TensorView>& values) {
  const std::size_t num_rows = rows.united.count;
  const std::size_t width = static_cast<std::size_t>(sum.size()) / std::max<std::size_t>(num_rows, 1);
  workers->Split(num_rows, width, [&](std::size_t begin, std::size_t end) {
    RowPiece piece(sum, rows.united, begin, end);
    for (std::size_t i = 0; i < values.size(); ++i) piece.Add(values[i], rows.sources[i]);
  });
}

void SumOnStream(Sources* sources, const TensorView& sum, const Rows& rows,
                 const std::vector<TensorView>& values) {
  Stream* const stream = sources->Ready();
  ThrowIfError(Fill(stream, sum, 0));
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::size_t count = rows.sources[i].count;
    if (count == 0) continue;
    const std::size_t bytes = count * sizeof(std::int64_t);
    auto* const places = static_cast<std::int64_t*>(sources->Staging(sum.device, bytes));
    PlaceRows(rows.sources[i], rows.united, places);
    auto* const ids = static_cast<std::int64_t*>(sources->Block(sum.device, bytes));
    stream->Copy(ids, places, bytes);
    TensorView view = IdsView(ids, count);
    view.device = sum.device;
    ThrowIfError(AddRows(stream, sum, values[i], view));
  }
}

}  // namespace

Tensor SumRows(Resources* resources, const DeviceId& owner, const std::vector<Tensor>& values) {
  const TensorView& first = values.front().view();
  const Rows rows = UniteIds(resources, values);
  Shape shape = first.shape;
  shape[0] = static_cast<std::int64_t>(rows.united.count);
  Tensor ids = resources->scratch->TakeTensor({shape[0]}, DType::kI64, owner);
  ids.CopyFrom(rows.united.ids);
  const Tensor sum = resources->scratch->TakeTensor(shape, first.dtype, owner);
  Sources sources(resources, owner);
  const std::vector<TensorView> views = Brought(&sources, values, owner);
  if (resources->IsHost(owner)) {
    ThrowIfError(sources.Wait());
    SumOnHost(&resources->workers, sum.view(), rows, views);
  } else if (sum.view().bytes() != 0) {
    SumOnStream(&sources, sum.view(), rows, views);
  }
  ThrowIfError(sources.Wait());
  return Tensor::RowSparse(first.shape, ids, sum);
}

}  // namespace ps
