// Ends the process at a point of the protocol (base/test_point.h), as if the machine had lost power there.
#ifndef PS_TESTS_SUPPORT_KILL_POINT_H_
#define PS_TESTS_SUPPORT_KILL_POINT_H_

#include <string>

namespace ps {

// From now on the process gets SIGKILL when one of its threads passes `where` = `point` or `point:n` for the
// n-th time (n >= 1). To be called before there are other threads. Throws std::invalid_argument when n is no
// number.
void KillAt(const std::string& where);

}  // namespace ps

#endif  // PS_TESTS_SUPPORT_KILL_POINT_H_
