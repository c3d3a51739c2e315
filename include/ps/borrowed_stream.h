// BorrowStream: a stream of the program's own CUDA code for the library.
#ifndef PS_BORROWED_STREAM_H_
#define PS_BORROWED_STREAM_H_

#include <memory>

#include "ps/device_id.h"
#include "ps/stream.h"

namespace ps {

// A stream that the program has made with CUDA (`native`, its cudaStream_t; null: the default one) as the
// Stream of a TensorView. It stays the program's, and may go before the object if nobody uses that any more.
// The object costs a thread: one for each stream is enough. For devices of the processor there is only null:
// a stream of its own. Throws Error: kUnavailable (no such device), kInvalidArgument, kResourceExhausted.
std::unique_ptr<Stream> BorrowStream(const DeviceId& device, void* native);

}  // namespace ps

#endif  // PS_BORROWED_STREAM_H_
