#include "app/node_text.h"

#include <algorithm>

#include "message/node_id.h"
#include "ps/postoffice.h"

namespace ps {
namespace {

constexpr std::size_t kNamed = 4;

}  // namespace

std::string DescribeSelf(Postoffice* node) {
  Van* const van = node->van();
  return van != nullptr && van->IsReady() ? DescribeNodeId(van->my_node().id) : "this node";
}

std::string DescribeNodes(Postoffice* node, const std::vector<int>& ids) {
  std::vector<int> sorted = ids;
  std::sort(sorted.begin(), sorted.end());
  std::string text;
  for (std::size_t i = 0; i < std::min(kNamed, sorted.size()); ++i) {
    text += (i == 0 ? "" : ", ") + node->Describe(sorted[i]);
  }
  if (sorted.size() > kNamed) text += " and " + std::to_string(sorted.size() - kNamed) + " more";
  return sorted.empty() ? "anybody" : text;
}

std::string LogName(Postoffice* node) {
  Van* const van = node->van();
  return van != nullptr && van->IsReady() ? van->my_node().ShortDebugString() : "";
}

}  // namespace ps
