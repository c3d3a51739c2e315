#ifndef PS_CLUSTER_ON_NODES_H_
#define PS_CLUSTER_ON_NODES_H_

#include <exception>
#include <functional>
#include <vector>

#include "ps/postoffice.h"
#include "ps/status.h"

namespace ps {

// Runs `step` for all nodes at once, each on a thread of its own that is bound to it, and returns when all
// are done. After the first exception `close`, where there is one, so that no node waits for the one that
// failed; that exception is returned, null: there was none.
std::exception_ptr OnNodes(const std::vector<Postoffice*>& nodes,
                           const std::function<void(Postoffice& node)>& step,
                           const std::function<void()>& close);

// What an exception says, as a Status; null: ok.
Status StatusOf(const std::exception_ptr& error);

}  // namespace ps
#endif  // PS_CLUSTER_ON_NODES_H_
