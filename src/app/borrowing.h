#ifndef PS_APP_BORROWING_H_
#define PS_APP_BORROWING_H_

#include <atomic>

namespace ps {

// Which values may come to a Customer as they lie in the sender's memory (Meta::borrowed): the business of
// the app. Any thread.
struct Borrowing {
  std::atomic<bool> of_requests{false};
  std::atomic<bool> of_answers{false};
};

}  // namespace ps
#endif  // PS_APP_BORROWING_H_
