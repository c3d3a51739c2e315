// Arrays of a program as the library takes them: without gaps, and with streams.
#ifndef PS_MSHADOW_DEVICE_ARRAYS_H_
#define PS_MSHADOW_DEVICE_ARRAYS_H_

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "ps/borrowed_stream.h"
#include "ps/mshadow/tensor_access.h"
#include "ps/status.h"
#include "ps/ticket.h"

namespace mshadow::ps::internal {

// Row by row, on the stream; null: at once, memory of the processor.
inline void CopyRows(const Rows& to, const Rows& from, ::ps::Stream* stream) {
  for (std::int64_t i = 0; i < from.num_rows; ++i) {
    if (stream != nullptr) {
      stream->Copy(to.row(i), from.row(i), from.row_bytes());
    } else {
      std::memcpy(to.row(i), from.row(i), from.row_bytes());
    }
  }
}

// The library's streams for those of the program: one each, because one costs a thread. Any thread.
class BorrowedStreams {
 public:
  // `native` null: the default stream.
  ::ps::Stream* Of(const ::ps::DeviceId& device, void* native) {
    const std::lock_guard<std::mutex> lock(mutex_);
    std::unique_ptr<::ps::Stream>& stream = streams_[{device.index, native}];
    if (stream == nullptr) stream = ::ps::BorrowStream(device, native);
    return stream.get();
  }

 private:
  std::mutex mutex_;
  std::map<std::pair<int, void*>, std::unique_ptr<::ps::Stream>> streams_;  // under mutex_
};

// Copies without gaps of tensors whose rows have some. One that is pulled into lives until the pull is done;
// one that is pushed until its round is merged or, of a device alone, whose array is lent, until a pull has
// brought the result. Any thread.
class CompactCopies {
 public:
  // Before the first one: whether there is one device.
  void SetAlone(bool is_alone) {
    const std::lock_guard<std::mutex> lock(mutex_);
    is_alone_ = is_alone;
  }
  // Memory for an array like this one, of the same device.
  Rows Make(const Rows& like, int key, int devid) {
    ::ps::Tensor memory = ::ps::Tensor::Empty({like.num_rows, like.num_columns}, like.dtype, like.device);
    Rows made = like;
    made.data = static_cast<char*>(memory.Data());
    made.stride = like.num_columns;
    const std::lock_guard<std::mutex> lock(mutex_);
    std::vector<Copy>& copies = copies_[{key, devid}];
    copies.erase(
        std::remove_if(copies.begin(), copies.end(), [this](const Copy& copy) { return IsOver(copy); }),
        copies.end());
    copies.push_back({std::move(memory), std::nullopt, std::nullopt});
    return made;
  }
  // The one of this memory was pushed; it may be none of these.
  void SetPush(const void* data, int key, int devid, const ::ps::Ticket& push) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = copies_.find({key, devid});
    if (found == copies_.end()) return;
    for (Copy& copy : found->second) {
      if (copy.memory.view().data == data) copy.push = push;
    }
  }
  // Those that are there now serve a pull.
  void SetPull(int key, int devid, const ::ps::Ticket& pull) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = copies_.find({key, devid});
    if (found == copies_.end()) return;
    for (Copy& copy : found->second) {
      if (!copy.pull) copy.pull = pull;
    }
  }
  std::size_t size() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    std::size_t count = 0;
    for (const auto& [name, copies] : copies_) count += copies.size();
    return count;
  }

 private:
  struct Copy {
    ::ps::Tensor memory;
    std::optional<::ps::Ticket> push;
    std::optional<::ps::Ticket> pull;
  };

  // Nobody uses it any more. A pull that has failed says nothing of what was lent.
  bool IsOver(const Copy& copy) const {
    if (copy.push && !is_alone_) return copy.push->Done();
    return copy.pull && copy.pull->Done() && (!copy.push || copy.pull->WaitFor({}).ok());
  }

  mutable std::mutex mutex_;
  bool is_alone_ = true;                                     // under mutex_
  std::map<std::pair<int, int>, std::vector<Copy>> copies_;  // by key and device; under mutex_
};

// The arrays of one model. Any thread.
class DeviceArrays {
 public:
  // What is pushed. A tensor with gaps is copied, on its stream. One of a GPU without a stream is written by
  // the default stream, whose work is waited for.
  ::ps::TensorView ToPush(const Rows& rows, ::ps::Stream* stream, int key, int devid) {
    const bool is_gpu = rows.device.kind == ::ps::DeviceId::kCuda;
    ::ps::Stream* const writer = is_gpu && stream == nullptr ? streams_.Of(rows.device, nullptr) : stream;
    Rows whole = rows;
    if (!rows.is_compact()) {
      whole = copies_.Make(rows, key, devid);
      CopyRows(whole, rows, writer);
    }
    if (writer != stream) ::ps::ThrowIfError(writer->Synchronize());
    return whole.View(stream);
  }
  // What a result is written to first; `Finish` then does the rest on the stream on which that happens.
  Rows ToPull(const Rows& rows, int key, int devid) {
    return rows.is_compact() ? rows : copies_.Make(rows, key, devid);
  }
  static void Finish(const Rows& rows, const Rows& pulled, ::ps::Stream* stream) {
    if (pulled.data != rows.data) CopyRows(rows, pulled, stream);
  }
  void SetAlone(bool is_alone) { copies_.SetAlone(is_alone); }
  void SetPush(const void* data, int key, int devid, const ::ps::Ticket& push) {
    copies_.SetPush(data, key, devid, push);
  }
  void SetPull(int key, int devid, const ::ps::Ticket& pull) { copies_.SetPull(key, devid, pull); }

  // Null: the tensor has none.
  template <typename S>
  ::ps::Stream* StreamOf(const S* stream, const Rows& rows) {
    if (stream == nullptr || rows.device.kind != ::ps::DeviceId::kCuda) return nullptr;
    return streams_.Of(rows.device, NativeOf(stream));
  }

 private:
  BorrowedStreams streams_;
  CompactCopies copies_;
};

}  // namespace mshadow::ps::internal

#endif  // PS_MSHADOW_DEVICE_ARRAYS_H_
