#include "store/spec_bytes.h"

#include <limits>
#include <utility>

#include "checkpoint.pb.h"

namespace ps {
namespace {

// -0.0 equals 0.0, so it must not have bytes of its own.
double Plain(double value) { return value + 0.0; }

void Put(const CodecSpec& codec, stored::Codec* out) {
  out->set_name(codec.name);
  out->set_parameter(Plain(codec.parameter));
}

CodecSpec CodecOf(const stored::Codec& in) { return {in.name(), in.parameter()}; }

stored::TableSpec MessageOf(const TableSpec& spec) {
  stored::TableSpec out;
  out.set_name(spec.name);
  out.set_dtype(static_cast<std::uint32_t>(spec.dtype));
  out.set_kind(spec.kind);
  out.set_rows(spec.rows);
  out.set_width(spec.width);
  out.set_init_kind(spec.init.kind);
  out.set_init_low(Plain(spec.init.low));
  out.set_init_high(Plain(spec.init.high));
  out.set_init_seed(spec.init.seed);
  out.set_updater(spec.updater);
  for (const auto& [name, value] : spec.updater_options) {
    stored::Option* const option = out.add_updater_options();
    option->set_name(name);
    option->set_value(value);
  }
  out.set_multi_precision(spec.multi_precision);
  out.set_mode(spec.consistency.mode);
  out.set_bound(spec.consistency.bound);
  out.set_backup(spec.consistency.backup);
  out.set_apply(spec.apply);
  out.set_mean(spec.mean);
  out.set_auto_close(spec.auto_close);
  out.set_deterministic(spec.deterministic);
  Put(spec.push_codec, out.mutable_push_codec());
  Put(spec.pull_codec, out.mutable_pull_codec());
  out.set_min_split(spec.min_split);
  return out;
}

// Numbers that no enumerator can have become one that Validate refuses.
template <typename Enum>
Enum EnumOf(std::uint32_t value) {
  return static_cast<Enum>(static_cast<std::uint8_t>(value < 0xff ? value : 0xff));
}

TableSpec SpecOf(const stored::TableSpec& in) {
  TableSpec spec;
  spec.name = in.name();
  spec.dtype = EnumOf<DType>(in.dtype());
  spec.kind = EnumOf<TableSpec::Kind>(in.kind());
  spec.rows = in.rows();
  spec.width = in.width();
  spec.init = {EnumOf<Init::Kind>(in.init_kind()), in.init_low(), in.init_high(), in.init_seed()};
  spec.updater = in.updater();
  for (const stored::Option& option : in.updater_options()) {
    spec.updater_options.emplace(option.name(), option.value());
  }
  spec.multi_precision = in.multi_precision();
  spec.consistency = {EnumOf<Consistency::Mode>(in.mode()), in.bound(), in.backup()};
  spec.apply = EnumOf<TableSpec::Apply>(in.apply());
  spec.mean = in.mean();
  spec.auto_close = in.auto_close();
  spec.deterministic = in.deterministic();
  spec.push_codec = CodecOf(in.push_codec());
  spec.pull_codec = CodecOf(in.pull_codec());
  spec.min_split = in.min_split();
  return spec;
}

}  // namespace

std::string EncodeSpec(const TableSpec& spec) { return MessageOf(spec).SerializeAsString(); }

Result<TableSpec> DecodeSpec(std::string_view bytes) {
  stored::TableSpec message;
  if (bytes.empty() || bytes.size() > static_cast<std::size_t>(std::numeric_limits<int>::max()) ||
      !message.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
    return Status::InvalidArgument("bytes that are no table specification");
  }
  TableSpec spec = SpecOf(message);
  PS_RETURN_IF_ERROR(spec.Validate());
  // Fields that are not known here, or an order of fields that is not ours, would give another hash.
  if (EncodeSpec(spec) != bytes) {
    return Status::InvalidArgument("the specification of table `" + spec.name +
                                   "` has parts that are not known here: all nodes need the same version");
  }
  return spec;
}

}  // namespace ps
