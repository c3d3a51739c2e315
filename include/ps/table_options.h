// What tables are made with, and what their calls may say.
#ifndef PS_TABLE_OPTIONS_H_
#define PS_TABLE_OPTIONS_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ps/status.h"
#include "ps/store.h"
#include "ps/table_spec.h"
#include "ps/updater.h"

namespace ps {

// The properties of a table, which all workers have to say alike; what has no call here is set in spec().
// Used as ArrayOptions().Name("w").Size(10).Updater("momentum lr=.1").Mode(Consistency::Bsp()).
template <typename Self>
class TableOptions {
 public:
  // The identity of the table. Needed.
  Self& Name(const std::string& name) {
    return Set([&] { spec_.name = name; });
  }
  // The rule and its options, as in `adagrad lr=0.1` (ps/updater.h); `add` where there is none. Throws Error.
  Self& Updater(const std::string& text) {
    UpdaterChoice choice = ParseUpdater(text).value();
    return Set([&] {
      spec_.updater = choice.name;
      spec_.updater_options = std::move(choice.options);
    });
  }
  Self& Mode(const Consistency& mode) {
    return Set([&] { spec_.consistency = mode; });
  }
  // The values at first; 0 where nothing is said.
  Self& Init(const ps::Init& init) {
    return Set([&] { spec_.init = init; });
  }
  // How values travel to the servers, and back. "sparse" is Multiverso's SparseFilter.
  Self& Codecs(const CodecSpec& push, const CodecSpec& pull = {}) {
    return Set([&] {
      spec_.push_codec = push;
      spec_.pull_codec = pull;
    });
  }
  TableSpec& spec() { return spec_; }
  const TableSpec& spec() const { return spec_; }

 protected:
  template <typename Change>
  Self& Set(Change change) {
    change();
    return static_cast<Self&>(*this);
  }

 private:
  TableSpec spec_;
};

// Of an array of `size` elements.
class ArrayOptions : public TableOptions<ArrayOptions> {
 public:
  ArrayOptions& Size(std::int64_t size) {
    return Set([&] { spec().rows = size; });
  }
};

// Of a matrix.
class MatrixOptions : public TableOptions<MatrixOptions> {
 public:
  MatrixOptions& Rows(std::int64_t rows) {
    return Set([&] { spec().rows = rows; });
  }
  MatrixOptions& Cols(std::int64_t cols) {
    return Set([&] { spec().width = cols; });
  }
  // Reads bring only what has changed since the last one into the same buffer (Multiverso's is_sparse). This
  // worker's own matter; workers may differ.
  MatrixOptions& Delta(bool delta = true) {
    return Set([&] { delta_ = delta; });
  }
  // How many buffers of its own the caller reads into, in turns: 2 are Multiverso's is_pipeline.
  MatrixOptions& Buffers(int buffers) {
    return Set([&] { buffers_ = buffers; });
  }
  bool delta() const { return delta_; }
  int buffers() const { return buffers_; }

 private:
  bool delta_ = false;
  int buffers_ = 1;
};

// Of a map from keys to values.
class KVOptions : public TableOptions<KVOptions> {};

// How values are handed in; and values of the rule's options that this call is the first to be made with.
//
// A table has one set of options, whoever adds to it. A call that says some tells them to the servers ahead
// of its values: with kBsp they hold from this round on, else at once, for all workers, until others are
// said. What the table's rule does not have is refused.
struct TableAddOptions : AddOptions {
  std::optional<double> learning_rate;  // the rule's lr
  std::optional<double> momentum;
  std::optional<double> rho;
  std::optional<double> lambda;
  std::string others;  // options of the rule beside these, as `wd=0.1`

  // As in `lr=0.1 momentum=0.9`; empty: none is said.
  std::string RuleText() const;
};

// How values are read.
struct TableGetOptions {
  // Of TableGetOptions::buffer: everything is read, and no buffer counts as up to date by it.
  static constexpr int kFull = -1;

  int priority = 0;
  int buffer = 0;  // with Delta: the caller's buffer, below Buffers. One read of it at a time
  // Where wanted: the places in the list of rows (of a whole read: the rows) that came, in no order.
  std::vector<std::uint32_t>* changed = nullptr;
  std::shared_ptr<const void> keep = nullptr;  // let go of when the ticket is done: what owns the buffer
};

// Multiverso's options of an Add, as they lie in its messages: 5 words of 4 bytes, little-endian. Rates
// travel with each Add there, and its rules take what they have.
struct AddOption {
  std::int32_t worker_id = 0;
  float momentum = 0;
  float learning_rate = 0.01F;
  float rho = 0.1F;
  float lambda = 0.1F;

  // The same for a table's rule: what Multiverso's rule of this name (smooth is its momentum_sgd) reads.
  TableAddOptions For(const std::string& updater) const;
};
static_assert(sizeof(AddOption) == 20, "5 words");

}  // namespace ps

#endif  // PS_TABLE_OPTIONS_H_
