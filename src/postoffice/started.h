#ifndef PS_POSTOFFICE_STARTED_H_
#define PS_POSTOFFICE_STARTED_H_

#include "ps/postoffice.h"

namespace ps {

// Whether a node is in a cluster. One that has ended knows of no workers.
inline bool IsStarted(Postoffice& node) { return node.van() != nullptr && node.num_workers() > 0; }

}  // namespace ps
#endif  // PS_POSTOFFICE_STARTED_H_
