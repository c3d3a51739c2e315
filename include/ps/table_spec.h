// TableSpec: everything that defines a table of the store.
#ifndef PS_TABLE_SPEC_H_
#define PS_TABLE_SPEC_H_

#include <cstdint>
#include <string>

#include "ps/dtype.h"
#include "ps/status.h"
#include "ps/updater.h"

namespace ps {

// When a contribution is applied and a read is answered; `docs` of the rule: src/store/gate.h.
struct Consistency {
  enum Mode : std::uint8_t { kAsp = 0, kSsp = 1, kBsp = 2 };
  Mode mode = kAsp;
  int bound = 0;   // kSsp: rounds that a reader may be ahead of the slowest
  int backup = 0;  // kBsp: workers that a round does not wait for

  static Consistency Asp() { return {kAsp, 0, 0}; }
  static Consistency Ssp(int bound) { return {kSsp, bound, 0}; }
  static Consistency Bsp(int backup = 0) { return {kBsp, 0, backup}; }
};

// The values of rows before anything was written.
struct Init {
  enum Kind : std::uint8_t { kConstant = 0, kUniform = 1, kFirstWrite = 2 };
  Kind kind = kConstant;
  double low = 0;  // kConstant: the value; kUniform: in [low, high)
  double high = 0;
  std::uint64_t seed = 0;  // kUniform: the values depend on it, the row and the column alone

  static Init Constant(double value) { return {kConstant, value, 0, 0}; }
  static Init Uniform(double low, double high, std::uint64_t seed) { return {kUniform, low, high, seed}; }
  // The first contribution sets them; reads wait for it.
  static Init FirstWrite() { return {kFirstWrite, 0, 0, 0}; }
};

// How values travel, by name with options: "none", "sparse", "f16", "bf16", "2bit", "1bit", "topk", "fixed".
struct CodecSpec {
  std::string name = "none";
  double parameter = 0;  // of 2bit and 1bit the threshold, of topk the share kept, of fixed the bytes

  bool is_none() const { return name == "none"; }
};

// A table of rows of equal width. A plain value. All who create a table must say the same.
struct TableSpec {
  // kUser: the program's own code at the servers (ps/user_table.h), named by `updater`, a row for each
  // server.
  enum Kind : std::uint8_t { kDense = 0, kHash = 1, kUser = 2 };
  enum Apply : std::uint8_t { kEach = 0, kMerged = 1 };

  std::string name;  // 1 to 255 bytes; the identity of the table
  DType dtype = DType::kF32;
  Kind kind = kDense;
  std::int64_t rows = 0;   // of a dense table: row ids are 0 to rows - 1. Hash tables take any 64-bit key
  std::int64_t width = 1;  // elements of a row
  Init init;

  std::string updater = "add";  // kNoUpdater: none until StoreTable::SetUpdater
  UpdaterOptions updater_options;
  bool multi_precision = false;  // 16-bit floats: values are kept in f32 beside what is read

  Consistency consistency;
  Apply apply = kEach;        // kMerged (kBsp only): the updater sees the sum of a round, once
  bool mean = false;          // kMerged: the sum is divided by the number of workers
  bool auto_close = true;     // each Add is a round of its own
  bool deterministic = true;  // kMerged: sums are made in order of the workers' ranks, whose bits are always
                              // the same; else as contributions come, which keeps fewer of them waiting

  CodecSpec push_codec;
  CodecSpec pull_codec;
  std::int64_t min_split = 1000000;  // a dense table of at most so many elements lives whole on one server

  // kInvalidArgument: the first thing that cannot be. An updater that does not come with the library is
  // known to the servers only, who look it up when the table is made.
  Status Validate() const;
  // A table of kUser, for so many servers.
  static TableSpec User(const std::string& name, const std::string& code, int num_servers);
  // What differs, as text: `rows: 10 and 20`; empty if nothing does.
  std::string DifferenceTo(const TableSpec& other) const;
};

bool operator==(const TableSpec& a, const TableSpec& b);
inline bool operator!=(const TableSpec& a, const TableSpec& b) { return !(a == b); }

}  // namespace ps

#endif  // PS_TABLE_SPEC_H_
