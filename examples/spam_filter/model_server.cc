#include "examples/spam_filter/model_server.h"

#include <functional>

namespace spam {

void ModelHandle::operator()(const ps::KVMeta& meta, const ps::KVPairs<float>& data,
                             ps::KVServer<float>* server) {
  const size_t num_keys = data.keys.size();
  if (meta.push && data.vals.size() != num_keys) {
    server->Fail(meta, ps::Status::InvalidArgument("the model takes one gradient per key"));
    return;
  }
  ps::KVPairs<float> answer;
  if (meta.push) {
    for (size_t i = 0; i < num_keys; ++i) table_.Update(data.keys[i], data.vals[i]);
  }
  if (meta.pull) {
    answer.keys = data.keys;
    answer.vals.resize(num_keys);
    for (size_t i = 0; i < num_keys; ++i) answer.vals[i] = table_.Weight(data.keys[i]);
  }
  server->Response(meta, answer);
}

void RunServer(const FtrlOptions& options) {
  ModelHandle model(options);
  ps::KVServer<float> model_server(kModelApp);
  model_server.set_request_handle(std::ref(model));
  ps::KVServer<double> counters_server(kCountersApp);
  counters_server.set_request_handle(ps::KVServerDefaultHandle<double>());
  ps::Finalize(0);  // returns when all nodes are done
}

}  // namespace spam
