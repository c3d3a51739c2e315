#ifndef PS_TRANSPORT_SINK_BATCH_H_
#define PS_TRANSPORT_SINK_BATCH_H_

#include "transport/transport.h"

namespace ps {

// A batch of frames, for its own life.
class SinkBatch {
 public:
  explicit SinkBatch(FrameSink* sink) : sink_(sink) { sink_->BeginBatch(); }
  ~SinkBatch() { sink_->EndBatch(); }
  SinkBatch(const SinkBatch&) = delete;
  SinkBatch& operator=(const SinkBatch&) = delete;

 private:
  FrameSink* const sink_;
};

}  // namespace ps
#endif  // PS_TRANSPORT_SINK_BATCH_H_
