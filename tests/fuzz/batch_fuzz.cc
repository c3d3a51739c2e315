// Frames that travel together, as any peer may send them: what is taken apart is what was put together, and
// nothing else is taken.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "ps/base.h"
#include "transport/zmq/batch.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  ps::SArray<char> bytes;
  bytes.CopyFrom(reinterpret_cast<const char*>(data), size);
  std::vector<ps::Frame> frames;
  if (!ps::CutBatch(bytes, &frames)) {
    CHECK(frames.empty());
    return 0;
  }
  ps::FrameBatch batch(size);
  for (const ps::Frame& frame : frames) {
    CHECK(batch.HasRoomFor(frame));
    batch.Add(frame);
  }
  if (frames.size() == 1) return 0;  // one alone travels without mark and size
  const ps::SArray<char> again = batch.Take();
  CHECK_EQ(again.size(), size);
  CHECK(std::equal(again.begin(), again.end(), bytes.begin()));
  return 0;
}
