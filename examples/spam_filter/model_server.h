#ifndef PS_EXAMPLES_SPAM_FILTER_MODEL_SERVER_H_
#define PS_EXAMPLES_SPAM_FILTER_MODEL_SERVER_H_

#include "examples/spam_filter/ftrl.h"
#include "ps/ps.h"

namespace spam {

// Two applications live on every node: the model, and a few numbers that are only added up.
inline constexpr int kModelApp = 0;
inline constexpr int kCountersApp = 1;

// The model's request handle. A push carries gradients, one per key, and moves the weights; a pull answers
// with the weights as they are now. Workers never wait for each other. All requests of an app are handled
// on one thread, so the table needs no lock.
class ModelHandle {
 public:
  explicit ModelHandle(const FtrlOptions& options) : table_(options) {}

  void operator()(const ps::KVMeta& meta, const ps::KVPairs<float>& data, ps::KVServer<float>* server);

 private:
  FtrlTable table_;
};

// Runs a server until the job ends. Call it after ps::Start; finalizes.
void RunServer(const FtrlOptions& options);

}  // namespace spam

#endif  // PS_EXAMPLES_SPAM_FILTER_MODEL_SERVER_H_
