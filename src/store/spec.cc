// The rules of include/ps/table_spec.h.
#include <cmath>
#include <cstddef>
#include <sstream>
#include <string_view>

#include "ps/table_spec.h"
#include "store/codec/codec.h"
#include "store/updater/builtin.h"

namespace ps {
namespace {

constexpr std::size_t kMaxName = 255;
constexpr std::size_t kMaxOptions = 64;
constexpr std::size_t kMaxOptionValue = 4096;
constexpr std::int64_t kMaxWidth = (std::int64_t{1} << 31) - 1;
// Of a dense table: bytes of it, with the updater's state, are far from overflowing.
constexpr std::int64_t kMaxElements = std::int64_t{1} << 53;

Status Wrong(const TableSpec& spec, const std::string& what) {
  return Status::InvalidArgument("table `" + spec.name + "`: " + what);
}

// Fit for log lines and error texts. Bytes above ASCII are left alone: they may be UTF-8.
bool IsName(std::string_view name) {
  if (name.empty() || name.size() > kMaxName) return false;
  for (const char c : name) {
    if (static_cast<unsigned char>(c) < ' ' || c == '\x7f') return false;
  }
  return true;
}

const char* KindName(TableSpec::Kind kind) {
  switch (kind) {
    case TableSpec::kDense: return "dense";
    case TableSpec::kHash: return "hash";
    case TableSpec::kUser: return "the program's own";
  }
  return "?";
}

bool IsHalf(DType dtype) { return dtype == DType::kF16 || dtype == DType::kBF16; }

Status CheckEnums(const TableSpec& spec) {
  if (!IsDType(static_cast<std::uint8_t>(spec.dtype))) return Wrong(spec, "unknown dtype");
  if (spec.kind > TableSpec::kUser) return Wrong(spec, "unknown kind");
  if (spec.init.kind > Init::kFirstWrite) return Wrong(spec, "unknown kind of initial values");
  if (spec.consistency.mode > Consistency::kBsp) return Wrong(spec, "unknown consistency mode");
  if (spec.apply > TableSpec::kMerged) return Wrong(spec, "unknown way of applying");
  return Status::Ok();
}

Status CheckShape(const TableSpec& spec) {
  if (spec.width < 1 || spec.width > kMaxWidth) {
    return Wrong(spec,
                 "width " + std::to_string(spec.width) + " is not in 1 to " + std::to_string(kMaxWidth));
  }
  if (spec.kind == TableSpec::kHash) {
    return spec.rows == 0
               ? Status::Ok()
               : Wrong(spec, "a hash table takes any key: rows must be 0, not " + std::to_string(spec.rows));
  }
  if (spec.rows < 1) return Wrong(spec, "rows " + std::to_string(spec.rows) + " is not 1 or more");
  if (spec.rows > kMaxElements / spec.width) {
    return Wrong(spec, std::to_string(spec.rows) + " rows of width " + std::to_string(spec.width) +
                           " are more than 2^53 elements");
  }
  if (spec.min_split < 0) return Wrong(spec, "min_split " + std::to_string(spec.min_split) + " is negative");
  return Status::Ok();
}

// Whether an integer type has this value.
bool Holds(DType dtype, double value) {
  if (dtype == DType::kBool) return value == 0 || value == 1;
  const bool is_signed =
      dtype == DType::kI8 || dtype == DType::kI16 || dtype == DType::kI32 || dtype == DType::kI64;
  const auto bits = static_cast<int>(8 * SizeOf(dtype));
  const double end = std::ldexp(1.0, is_signed ? bits - 1 : bits);
  return std::trunc(value) == value && value >= (is_signed ? -end : 0) && value < end;
}

Status CheckInit(const TableSpec& spec) {
  const Init& init = spec.init;
  if (!std::isfinite(init.low) || !std::isfinite(init.high))
    return Wrong(spec, "initial values must be finite");
  if (init.kind == Init::kUniform && !IsFloat(spec.dtype)) {
    return Wrong(spec,
                 std::string("uniform initial values need a floating-point type, not ") + NameOf(spec.dtype));
  }
  if (init.kind == Init::kUniform && init.low > init.high) {
    return Wrong(
        spec, "uniform initial values from " + std::to_string(init.low) + " to " + std::to_string(init.high));
  }
  if (init.kind == Init::kConstant && !IsFloat(spec.dtype) && !Holds(spec.dtype, init.low)) {
    return Wrong(spec, "the initial value " + std::to_string(init.low) + " is no " + NameOf(spec.dtype));
  }
  if (init.kind == Init::kFirstWrite && spec.kind == TableSpec::kHash) {
    return Wrong(
        spec, "in a hash table a read of an absent key would wait for its first write: give initial values");
  }
  return Status::Ok();
}

Status CheckUpdater(const TableSpec& spec) {
  if (!IsName(spec.updater)) return Wrong(spec, "the updater needs a name");
  if (spec.updater_options.size() > kMaxOptions) {
    return Wrong(spec, "more than " + std::to_string(kMaxOptions) + " updater options");
  }
  for (const auto& [name, value] : spec.updater_options) {
    if (!IsName(name)) return Wrong(spec, "an updater option needs a name");
    if (value.size() > kMaxOptionValue) {
      return Wrong(
          spec, "updater option " + name + " is longer than " + std::to_string(kMaxOptionValue) + " bytes");
    }
  }
  if (spec.multi_precision && !IsHalf(spec.dtype)) {
    return Wrong(spec, std::string("multi_precision is for f16 and bf16, not ") + NameOf(spec.dtype));
  }
  if (spec.mean && !IsFloat(spec.dtype)) {
    return Wrong(spec, std::string("mean needs a floating-point type, not ") + NameOf(spec.dtype));
  }
  if (!IsBuiltinUpdater(spec.updater)) return Status::Ok();
  const auto made = MakeUpdater(spec.updater, spec.updater_options, {MasterOf(spec.dtype), 1});
  return made.ok() ? Status::Ok() : Wrong(spec, made.status().message());
}

Status CheckConsistency(const TableSpec& spec) {
  const Consistency& c = spec.consistency;
  if (c.bound < 0) return Wrong(spec, "bound " + std::to_string(c.bound) + " is negative");
  if (c.backup < 0) return Wrong(spec, "backup " + std::to_string(c.backup) + " is negative");
  if (c.bound != 0 && c.mode != Consistency::kSsp) return Wrong(spec, "a bound is for SSP alone");
  if (c.backup != 0 && c.mode != Consistency::kBsp) return Wrong(spec, "backup workers are for BSP alone");
  if (c.mode == Consistency::kBsp && spec.updater == kNoUpdater) {
    return Wrong(spec, "without an updater there is nothing to do at the end of a round of BSP: use assign");
  }
  if (spec.apply == TableSpec::kMerged && c.mode != Consistency::kBsp) {
    return Wrong(spec, "merged apply is for BSP alone: other modes have no rounds to merge");
  }
  if (spec.mean && spec.apply != TableSpec::kMerged) {
    return Wrong(spec, "mean is for merged apply alone: else there is no sum to divide");
  }
  if (!spec.deterministic && spec.apply != TableSpec::kMerged) {
    return Wrong(spec, "deterministic = false is for merged apply alone: else there is no sum to order");
  }
  return Status::Ok();
}

Status CheckCodec(const TableSpec& spec, const CodecSpec& codec, const char* which) {
  if (!IsName(codec.name)) return Wrong(spec, std::string("the ") + which + " codec needs a name");
  if (!std::isfinite(codec.parameter)) {
    return Wrong(spec, std::string("the parameter of the ") + which + " codec is not finite");
  }
  const auto made = MakeCodec(codec, spec.dtype);
  if (!made.ok()) return Wrong(spec, std::string("the ") + which + " codec: " + made.status().message());
  return Status::Ok();
}

// There is nothing to say of it but its code.
Status CheckUserTable(const TableSpec& spec) {
  if (spec.consistency.mode != Consistency::kAsp)
    return Wrong(spec, "the program's own tables are for asp alone: their calls have no rounds");
  const std::string more =
      TableSpec::User(spec.name, spec.updater, static_cast<int>(spec.rows)).DifferenceTo(spec);
  return more.empty() ? Status::Ok() : Wrong(spec, "the program's own tables have no " + more);
}

// A server keeps nothing back for the next time.
Status CheckPullCodec(const TableSpec& spec) {
  PS_RETURN_IF_ERROR(CheckCodec(spec, spec.pull_codec, "pull"));
  if (!MakeCodec(spec.pull_codec, spec.dtype).value()->HasResidual()) return Status::Ok();
  return Wrong(
      spec, "pull codec " + spec.pull_codec.name + " needs a residual at the sender: use it for pushes only");
}

// What differs, as text.
class Differences {
 public:
  template <typename T>
  void Field(const char* name, const T& mine, const T& theirs) {
    if (mine == theirs) return;
    text_ << (text_.tellp() == 0 ? "" : ", ") << name << ": ";
    Write(mine);
    text_ << " and ";
    Write(theirs);
  }
  std::string text() const { return text_.str(); }

 private:
  template <typename T>
  void Write(const T& value) {
    text_ << value;
  }
  void Write(bool value) { text_ << (value ? "true" : "false"); }
  void Write(const std::string& value) { text_ << '`' << value << '`'; }
  void Write(DType value) { text_ << (IsDType(static_cast<std::uint8_t>(value)) ? NameOf(value) : "?"); }
  void Write(TableSpec::Kind value) { text_ << KindName(value); }
  void Write(TableSpec::Apply value) { text_ << (value == TableSpec::kEach ? "each" : "merged"); }
  void Write(Init::Kind value) {
    text_ << (value == Init::kConstant ? "constant" : value == Init::kUniform ? "uniform" : "first write");
  }
  void Write(Consistency::Mode value) {
    text_ << (value == Consistency::kAsp ? "asp" : value == Consistency::kSsp ? "ssp" : "bsp");
  }
  void Write(const UpdaterOptions& options) {
    text_ << '{';
    for (const auto& [name, value] : options) {
      text_ << (name == options.begin()->first ? "" : " ") << name << '=' << value;
    }
    text_ << '}';
  }

  std::ostringstream text_;
};

}  // namespace

Status TableSpec::Validate() const {
  if (!IsName(name)) {
    return Status::InvalidArgument("a table's name has 1 to 255 bytes and no control characters, `" +
                                   name.substr(0, kMaxName) + "` does not");
  }
  PS_RETURN_IF_ERROR(CheckEnums(*this));
  PS_RETURN_IF_ERROR(CheckShape(*this));
  if (kind == kUser) {
    if (!IsName(updater)) return Wrong(*this, "the code of a program's own table needs a name");
    return CheckUserTable(*this);
  }
  PS_RETURN_IF_ERROR(CheckInit(*this));
  PS_RETURN_IF_ERROR(CheckUpdater(*this));
  PS_RETURN_IF_ERROR(CheckConsistency(*this));
  PS_RETURN_IF_ERROR(CheckCodec(*this, push_codec, "push"));
  return CheckPullCodec(*this);
}

TableSpec TableSpec::User(const std::string& name, const std::string& code, int num_servers) {
  TableSpec spec;
  spec.name = name;
  spec.kind = kUser;
  spec.dtype = DType::kU8;
  spec.rows = num_servers;
  spec.updater = code;
  spec.min_split = 0;
  return spec;
}

std::string TableSpec::DifferenceTo(const TableSpec& other) const {
  Differences d;
  d.Field("name", name, other.name);
  d.Field("dtype", dtype, other.dtype);
  d.Field("kind", kind, other.kind);
  d.Field("rows", rows, other.rows);
  d.Field("width", width, other.width);
  d.Field("initial values", init.kind, other.init.kind);
  d.Field("initial low", init.low, other.init.low);
  d.Field("initial high", init.high, other.init.high);
  d.Field("initial seed", init.seed, other.init.seed);
  d.Field("updater", updater, other.updater);
  d.Field("updater options", updater_options, other.updater_options);
  d.Field("multi_precision", multi_precision, other.multi_precision);
  d.Field("mode", consistency.mode, other.consistency.mode);
  d.Field("bound", consistency.bound, other.consistency.bound);
  d.Field("backup", consistency.backup, other.consistency.backup);
  d.Field("apply", apply, other.apply);
  d.Field("mean", mean, other.mean);
  d.Field("auto_close", auto_close, other.auto_close);
  d.Field("deterministic", deterministic, other.deterministic);
  d.Field("push codec", push_codec.name, other.push_codec.name);
  d.Field("push codec's parameter", push_codec.parameter, other.push_codec.parameter);
  d.Field("pull codec", pull_codec.name, other.pull_codec.name);
  d.Field("pull codec's parameter", pull_codec.parameter, other.pull_codec.parameter);
  d.Field("min_split", min_split, other.min_split);
  return d.text();
}

bool operator==(const TableSpec& a, const TableSpec& b) { return a.DifferenceTo(b).empty(); }

}  // namespace ps
