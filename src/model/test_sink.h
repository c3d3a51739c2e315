#ifndef PS_MODEL_TEST_SINK_H_
#define PS_MODEL_TEST_SINK_H_

#include <memory>

#include "group/resources.h"
#include "group/result_sink.h"
#include "model/table_sink.h"

namespace ps {

// test_on_server: merged values are the results, and an updater in this process gets them, too, before
// anybody sees them. Any thread.
class TestSink final : public ResultSink {
 public:
  TestSink() = default;

  // As of TableSink.
  void Add(int key, const TableSpec& spec, const Shape& shape) { tables_.Add(key, spec, shape, true); }
  // sum |a - b| / sum |a|, of `data` (on any device) against the updater's value; NaN where one has such.
  // Throws Error.
  double ErrorOf(int key, const TensorView& data);
  // Writes the updater's value.
  void Set(int key, const TensorView& data);

  bool keeps_value() const override { return false; }
  void Take(Merged&& merged, Done done) override;
  void Read(int key, int priority, Done done) override;
  void Close() override { tables_.Close(); }

 private:
  TableSink tables_;
  const std::shared_ptr<Scratch> scratch_ = std::make_shared<Scratch>();
};

}  // namespace ps

#endif  // PS_MODEL_TEST_SINK_H_
