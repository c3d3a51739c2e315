#include "store/checkpoint/steps.h"

#include <algorithm>
#include <charconv>
#include <limits>

#include "store/checkpoint/manifest.h"

namespace ps {
namespace {

// Only names that NextStep gives: no signs, no leading zeros.
bool ParseStep(const std::string& name, std::uint64_t* step) {
  const char* const end = name.data() + name.size();
  const auto parsed = std::from_chars(name.data(), end, *step);
  return parsed.ec == std::errc() && parsed.ptr == end && std::to_string(*step) == name;
}

// Of a manifest that is not there, or not to its end: a place without rename may hold the beginning of one.
bool IsIncomplete(const Status& status) {
  return status.code() == StatusCode::kNotFound || status.code() == StatusCode::kFailedPrecondition;
}

}  // namespace

Result<std::vector<std::uint64_t>> ListSteps(CheckpointFiles* files) {
  const Result<std::vector<std::string>> names = files->List("");
  if (!names.ok()) return names.status();
  std::vector<std::uint64_t> steps;
  for (const std::string& name : names.value()) {
    std::uint64_t step = 0;
    if (ParseStep(name, &step)) steps.push_back(step);
  }
  std::sort(steps.begin(), steps.end());
  return steps;
}

Result<NewestStep> FindNewestStep(CheckpointFiles* files) {
  const Result<std::vector<std::uint64_t>> steps = ListSteps(files);
  if (!steps.ok()) return steps.status();
  NewestStep newest;
  for (auto step = steps.value().rbegin(); step != steps.value().rend(); ++step) {
    const Status status = ReadManifest(files, *step).status();
    if (status.ok()) {
      newest.step = *step;
      return newest;
    }
    if (!IsIncomplete(status)) return status;
    newest.incomplete.push_back(*step);
  }
  return Status::NotFound("there is no complete checkpoint in " + files->PathOf(""));
}

Result<std::uint64_t> NextStep(CheckpointFiles* files) {
  const Result<std::vector<std::uint64_t>> steps = ListSteps(files);
  if (!steps.ok()) return steps.status();
  if (steps.value().empty()) return std::uint64_t{1};
  if (steps.value().back() == std::numeric_limits<std::uint64_t>::max()) {
    return Status::ResourceExhausted(files->PathOf("") + " holds the last step that there can be");
  }
  return steps.value().back() + 1;
}

Status RemoveOldSteps(CheckpointFiles* files, std::size_t keep) {
  const Result<std::vector<std::uint64_t>> steps = ListSteps(files);
  if (!steps.ok()) return steps.status();
  std::size_t kept = 0;
  for (auto step = steps.value().rbegin(); step != steps.value().rend(); ++step) {
    const bool is_complete = !IsIncomplete(ReadManifest(files, *step).status());
    if (kept == 0 && !is_complete) continue;  // perhaps it is being written
    if (is_complete && kept < std::max<std::size_t>(keep, 1)) {
      ++kept;
      continue;
    }
    PS_RETURN_IF_ERROR(files->Remove(ManifestName(*step)));
    PS_RETURN_IF_ERROR(files->Remove(std::to_string(*step)));
  }
  return Status::Ok();
}

}  // namespace ps
