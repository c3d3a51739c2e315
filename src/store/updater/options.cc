#include "store/updater/options.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <set>
#include <utility>

#include "store/updater/excerpt.h"

namespace ps {
namespace {

using dmlc::parameter::FieldAccessEntry;

Status Refused(const std::string& updater, const std::string& why) {
  return Status::InvalidArgument("updater '" + updater + "'" + why);
}

// "lr (number, optional, default=0.1), wd (...)".
std::string ListOf(const std::vector<OptionGroup>& groups) {
  std::string list;
  for (const OptionGroup& group : groups) {
    for (const dmlc::ParamFieldInfo& field : group.fields->GetFieldInfo())
      list += (list.empty() ? "" : ", ") + field.name + " (" + field.type_info_str + ")";
  }
  return list;
}

// dmlc's texts have several lines, and the value in them.
std::string OneLine(std::string text) {
  constexpr std::size_t kMost = 300;
  while (!text.empty() && text.back() == '\n') text.pop_back();
  std::replace(text.begin(), text.end(), '\n', ';');
  return Excerpt(text, kMost);
}

const OptionGroup* GroupWith(const std::string& name, const std::vector<OptionGroup>& groups) {
  const auto found = std::find_if(groups.begin(), groups.end(), [&name](const OptionGroup& group) {
    return group.fields->Find(name) != nullptr;
  });
  return found == groups.end() ? nullptr : &*found;
}

}  // namespace

Status SetOptions(const std::string& updater, const UpdaterOptions& options,
                  const std::vector<OptionGroup>& groups) {
  std::set<FieldAccessEntry*> set;
  for (const auto& option : options) {
    const std::string& name = option.first;
    const OptionGroup* const group = GroupWith(name, groups);
    if (group == nullptr) {
      const std::string list = ListOf(groups);
      return Refused(updater,
                     " has no option '" + Excerpt(name) + "'; it has " + (list.empty() ? "none" : list));
    }
    const std::size_t before = set.size();
    try {
      const std::array<std::pair<std::string, std::string>, 1> one = {option};
      group->fields->RunUpdate(group->head, one.begin(), one.end(), dmlc::parameter::kAllMatch, nullptr,
                               &set);
    } catch (const dmlc::Error& error) {
      return Refused(updater, ", option " + name + ": " + OneLine(error.what()));
    }
    if (set.size() == before) return Refused(updater, ", option " + name + ": given twice, by two names");
  }
  return Status::Ok();
}

}  // namespace ps
