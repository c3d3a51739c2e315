#include "store/checkpoint/manifest.h"

#include <algorithm>
#include <map>
#include <utility>

#include "store/checkpoint/block.h"

namespace ps {
namespace {

using Parts = std::vector<std::pair<int, const SavedPart*>>;  // with their servers

std::string Named(const std::string& name) { return "table `" + name + "`"; }

std::string ServerText(int server) { return "server " + std::to_string(server); }

Status CheckSame(const std::string& name, const Parts& parts) {
  const auto& [first_server, first] = parts.front();
  for (const auto& [server, part] : parts) {
    if (part->spec_digest != first->spec_digest || part->is_hash != first->is_hash ||
        part->num_units != first->num_units || part->has_rounds != first->has_rounds) {
      return Status::InvalidArgument(Named(name) + " is not the same on " + ServerText(first_server) +
                                     " and " + ServerText(server));
    }
    if (part->rounds_closed != first->rounds_closed && part->has_rounds) {
      return Status::InvalidArgument(Named(name) + " is at round " + std::to_string(first->rounds_closed) +
                                     " on " + ServerText(first_server) + " and at round " +
                                     std::to_string(part->rounds_closed) + " on " + ServerText(server));
    }
  }
  return Status::Ok();
}

// Together the parts are the table, once.
Status CheckCovered(const std::string& name, Parts parts) {
  std::sort(parts.begin(), parts.end(),
            [](const auto& a, const auto& b) { return a.second->range.begin() < b.second->range.begin(); });
  const char* const unit = parts.front().second->is_hash ? " slots " : " rows ";
  std::uint64_t next = 0;
  for (const auto& [server, part] : parts) {
    if (part->range.begin() > next) break;
    if (part->range.begin() < next) {
      return Status::InvalidArgument(Named(name) + " has" + unit + "from " +
                                     std::to_string(part->range.begin()) + " on twice, the second time on " +
                                     ServerText(server));
    }
    next = part->range.end();
  }
  const std::uint64_t all = parts.front().second->num_units;
  if (next == all) return Status::Ok();
  return Status::InvalidArgument(Named(name) + " lacks" + unit + "from " + std::to_string(next) + " on, of " +
                                 std::to_string(all));
}

Status CheckPart(const ShardFile& file, const SavedPart& part) {
  if (part.name.empty() || part.range.begin() >= part.range.end() || part.range.end() > part.num_units ||
      part.position > file.bytes || part.bytes > file.bytes - part.position) {
    return Status::InvalidArgument("the part of " + Named(part.name) + " on " + ServerText(file.server) +
                                   " cannot be");
  }
  return Status::Ok();
}

}  // namespace

Status Manifest::Validate() const {
  if (shards.empty())
    return Status::InvalidArgument("a checkpoint needs the files of all servers, there are none");
  std::map<std::string, Parts> tables;
  for (std::size_t i = 0; i < shards.size(); ++i) {
    if (shards[i].server != static_cast<int>(i)) {
      return Status::InvalidArgument("a checkpoint needs one file of each server from 0 on: that of " +
                                     ServerText(static_cast<int>(i)) + " is missing");
    }
    for (const SavedPart& part : shards[i].parts) {
      PS_RETURN_IF_ERROR(CheckPart(shards[i], part));
      tables[part.name].emplace_back(shards[i].server, &part);
    }
  }
  for (const auto& [name, parts] : tables) {
    PS_RETURN_IF_ERROR(CheckSame(name, parts));
    PS_RETURN_IF_ERROR(CheckCovered(name, parts));
  }
  return Status::Ok();
}

std::string ManifestName(std::uint64_t step) { return std::to_string(step) + "/MANIFEST"; }

std::string ShardName(std::uint64_t step, int server) {
  return std::to_string(step) + "/shard-" + std::to_string(server);
}

Status WriteManifest(CheckpointFiles* files, const Manifest& manifest) {
  PS_RETURN_IF_ERROR(manifest.Validate());
  const std::string name = ManifestName(manifest.step);
  const Status found = files->Open(name).status();
  if (found.ok()) return Status::AlreadyExists(files->PathOf(name) + " is there already: use another step");
  if (found.code() != StatusCode::kNotFound) return found;
  Result<std::unique_ptr<FileWriter>> file = files->Create(name);
  if (!file.ok()) return file.status();
  const std::string body = EncodeManifest(manifest);
  BlockWriter writer(file.value().get());
  Block block;
  block.kind = Block::kManifest;
  block.count = manifest.step;
  PS_RETURN_IF_ERROR(writer.Append(block, {body}));
  return file.value()->Commit();
}

Result<Manifest> ReadManifest(CheckpointFiles* files, std::uint64_t step) {
  const std::string name = ManifestName(step);
  Result<std::unique_ptr<FileReader>> file = files->Open(name);
  if (!file.ok()) return file.status();
  BlockReader reader(std::move(file.value()), files->PathOf(name));
  const Result<Block> block = reader.Next({Block::kManifest}, 0);
  if (!block.ok()) return block.status();
  std::vector<char> body;
  PS_RETURN_IF_ERROR(reader.Body(&body));
  Result<Manifest> manifest = DecodeManifest(std::string_view(body.data(), body.size()));
  if (!manifest.ok()) return reader.Damage(manifest.status().message());
  if (manifest.value().step != step) {
    return reader.Damage("it is that of step " + std::to_string(manifest.value().step));
  }
  const Result<bool> at_end = reader.AtEnd();
  if (!at_end.ok()) return at_end.status();
  if (!at_end.value()) return reader.Damage("more follows");
  return manifest;
}

}  // namespace ps
