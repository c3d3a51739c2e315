// The encoding of manifest.h.
#include <limits>
#include <utility>

#include "checkpoint.pb.h"
#include "store/checkpoint/manifest.h"

namespace ps {
namespace {

template <typename Proto>
Status Parse(std::string_view bytes, const char* what, Proto* proto) {
  if (!bytes.empty() && bytes.size() <= static_cast<std::size_t>(std::numeric_limits<int>::max()) &&
      proto->ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
    return Status::Ok();
  }
  return Status::InvalidArgument(std::string("bytes that are no ") + what);
}

void Put(const SavedPart& part, stored::SavedPart* out) {
  out->set_name(part.name);
  out->set_spec_digest(part.spec_digest);
  out->set_is_hash(part.is_hash);
  out->set_num_units(part.num_units);
  out->set_begin(part.range.begin());
  out->set_end(part.range.end());
  out->set_num_rows(part.num_rows);
  out->set_has_rounds(part.has_rounds);
  out->set_rounds_closed(part.rounds_closed);
  out->set_position(part.position);
  out->set_bytes(part.bytes);
  out->set_digest(part.digest);
}

SavedPart PartOf(const stored::SavedPart& in) {
  SavedPart part;
  part.name = in.name();
  part.spec_digest = in.spec_digest();
  part.is_hash = in.is_hash();
  part.num_units = in.num_units();
  part.range = Range(in.begin(), in.end());
  part.num_rows = in.num_rows();
  part.has_rounds = in.has_rounds();
  part.rounds_closed = in.rounds_closed();
  part.position = in.position();
  part.bytes = in.bytes();
  part.digest = in.digest();
  return part;
}

void Put(const ShardFile& file, stored::ShardFile* out) {
  out->set_server(file.server);
  out->set_bytes(file.bytes);
  for (const SavedPart& part : file.parts) Put(part, out->add_parts());
}

ShardFile FileOf(const stored::ShardFile& in) {
  ShardFile file;
  file.server = in.server();
  file.bytes = in.bytes();
  for (const stored::SavedPart& part : in.parts()) file.parts.push_back(PartOf(part));
  return file;
}

}  // namespace

std::string EncodeShardFile(const ShardFile& file) {
  stored::ShardFile out;
  Put(file, &out);
  return out.SerializeAsString();
}

Result<ShardFile> DecodeShardFile(std::string_view bytes) {
  stored::ShardFile in;
  PS_RETURN_IF_ERROR(Parse(bytes, "answer to a save", &in));
  if (in.server() < 0 || in.bytes() == 0)
    return Status::InvalidArgument("an answer to a save that cannot be");
  return FileOf(in);
}

std::string EncodeManifest(const Manifest& manifest) {
  stored::Manifest out;
  out.set_step(manifest.step);
  out.set_epoch(manifest.epoch);
  out.set_saved_at_ms(manifest.saved_at_ms);
  for (const ShardFile& file : manifest.shards) Put(file, out.add_shards());
  return out.SerializeAsString();
}

Result<Manifest> DecodeManifest(std::string_view bytes) {
  stored::Manifest in;
  PS_RETURN_IF_ERROR(Parse(bytes, "manifest", &in));
  Manifest manifest;
  manifest.step = in.step();
  manifest.epoch = in.epoch();
  manifest.saved_at_ms = in.saved_at_ms();
  for (const stored::ShardFile& file : in.shards()) manifest.shards.push_back(FileOf(file));
  PS_RETURN_IF_ERROR(manifest.Validate());
  return manifest;
}

}  // namespace ps
