#include "group/broadcast.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "device/kernels.h"
#include "device/shape.h"
#include "group/caller_stream.h"
#include "group/sources.h"

namespace ps {
namespace {

Status Check(const Tensor& from, const std::vector<Tensor>& to) {
  if (from.is_none() || from.is_row_sparse())
    return Status::InvalidArgument("only dense tensors are copied to others");
  for (std::size_t i = 0; i < to.size(); ++i) {
    if (to[i].is_none() || to[i].is_row_sparse())
      return Status::InvalidArgument("output " + std::to_string(i) +
                                     (to[i].is_none() ? " is no tensor" : " is row-sparse, the value dense"));
    if (to[i].view().shape != from.view().shape)
      return Status::InvalidArgument("operands shape mismatch from.shape = " + ToString(from.view().shape) +
                                     " to.shape=" + ToString(to[i].view().shape));
  }
  return Status::Ok();
}

bool IsSame(const TensorView& from, const TensorView& to) {
  return from.data == to.data && from.dtype == to.dtype;
}

void Convert(Stream* stream, const TensorView& to, const TensorView& from) {
  if (to.dtype != from.dtype) {
    ThrowIfError(Cast(stream, to, from));
  } else {
    stream->Copy(to.data, from.data, from.bytes());
  }
}

// In pieces: the outputs find each in a cache.
void CopyOnHost(Workers* workers, const TensorView& from, const std::vector<TensorView>& to) {
  workers->Split(static_cast<std::size_t>(from.size()), 1, [&](std::size_t begin, std::size_t end) {
    CallerStream stream;
    for (const TensorView& view : to) Convert(&stream, PartOf(view, begin, end), PartOf(from, begin, end));
    ThrowIfError(stream.Synchronize());
  });
}

// Copies by streams: those between devices, and within one that is not the processor.
class Leaving {
 public:
  Leaving(Resources* resources, const TensorView& from)
      : resources_(resources), from_(from), sources_(resources, from.device) {}

  void CopyTo(const TensorView& to) {
    const bool is_here = resources_->Reaches(from_.device, to.device);
    Stream* const here = sources_.On(from_.device);
    // Who copies: the device, and of two the one that gets it, so that several get it at once.
    Stream* const stream = resources_->IsHost(to.device) ? here : sources_.On(to.device);
    if (to.stream != nullptr) stream->After(to.stream->Record());
    if (is_here) return Convert(stream, to, from_);
    const Source& source = In(to.dtype);
    if (stream != here && source.written != nullptr) stream->After(source.written);
    stream->Copy(to.data, source.view.data, to.bytes());
  }
  Status Wait() { return sources_.Wait(); }

 private:
  struct Source {
    TensorView view;
    std::shared_ptr<Event> written;  // null: it was always there
  };

  // The value in a dtype, where it lies.
  const Source& In(DType dtype) {
    const auto [found, is_new] = converted_.try_emplace(dtype);
    Source& source = found->second;
    if (!is_new) return source;
    source.view = from_;
    if (dtype == from_.dtype) return source;
    source.view.dtype = dtype;
    source.view.data = sources_.Block(from_.device, source.view.bytes());
    Stream* const here = sources_.On(from_.device);
    ThrowIfError(Cast(here, source.view, from_));
    source.written = here->Record();
    return source;
  }

  Resources* const resources_;
  const TensorView from_;
  std::map<DType, Source> converted_;
  Sources sources_;  // last: its end waits for the copies
};

}  // namespace

void CopyToAll(Resources* resources, const Tensor& from, const std::vector<Tensor>& to, std::size_t first) {
  ThrowIfError(Check(from, to));
  TensorView source = from.view();
  source.data = from.Data();
  if (source.bytes() == 0) return;
  const bool is_host = resources->IsHost(source.device);
  std::vector<TensorView> on_host;
  Leaving leaving(resources, source);
  for (std::size_t i = 0; i < to.size(); ++i) {
    const TensorView& view = to[(first % to.size() + i) % to.size()].view();
    if (IsSame(source, view)) continue;
    if (!is_host || !resources->IsHost(view.device)) {
      leaving.CopyTo(view);
      continue;
    }
    if (view.stream != nullptr) ThrowIfError(view.stream->Record()->Wait());
    on_host.push_back(view);
  }
  if (!on_host.empty()) CopyOnHost(&resources->workers, source, on_host);
  ThrowIfError(leaving.Wait());
}

}  // namespace ps
