#ifndef PS_APP_NODE_TEXT_H_
#define PS_APP_NODE_TEXT_H_

#include <string>
#include <vector>

namespace ps {

class Postoffice;

// `server 0 (id 8)`: the node itself, as far as it knows; `this node` before Start.
std::string DescribeSelf(Postoffice* node);

// `server 0 (id 8, 10.0.0.4:4711), server 1 (...)`, cut after some.
std::string DescribeNodes(Postoffice* node, const std::vector<int>& ids);

// `W[9]`, for log lines; empty before Start.
std::string LogName(Postoffice* node);

}  // namespace ps
#endif  // PS_APP_NODE_TEXT_H_
