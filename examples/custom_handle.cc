// A server with a rule of its own: it keeps the largest value pushed per key.
//
//   tracker/local.sh 2 3 build/examples/custom_handle
//
// Workers push their values and get the maxima so far back in the same request (PushPull). A value that is
// not a number is refused: the request fails at the worker that sent it, by name, and the job goes on.

#include <algorithm>
#include <cmath>
#include <functional>
#include <iostream>
#include <limits>
#include <unordered_map>
#include <vector>

#include "ps/ps.h"

namespace {

constexpr int kApp = 0;

class MaximumHandle {
 public:
  // Runs on the one thread of this app, so the map needs no lock.
  void operator()(const ps::KVMeta& meta, const ps::KVPairs<double>& data, ps::KVServer<double>* server) {
    if (meta.push && data.vals.size() != data.keys.size()) {
      server->Fail(meta, ps::Status::InvalidArgument("one value per key, please"));
      return;
    }
    if (std::any_of(data.vals.begin(), data.vals.end(), [](double value) { return std::isnan(value); })) {
      server->Fail(meta, ps::Status::InvalidArgument("NaN has no place in a maximum"));
      return;
    }
    for (size_t i = 0; i < data.vals.size(); ++i) {
      double& maximum = Maximum(data.keys[i]);
      maximum = std::max(maximum, data.vals[i]);
    }
    ps::KVPairs<double> answer;
    if (meta.pull) {
      answer.keys = data.keys;
      answer.vals.resize(data.keys.size());
      for (size_t i = 0; i < data.keys.size(); ++i) answer.vals[i] = Maximum(data.keys[i]);
    }
    server->Response(meta, answer);  // every request is answered once: Response or Fail
  }

 private:
  double& Maximum(ps::Key key) {
    return maxima_.emplace(key, -std::numeric_limits<double>::infinity()).first->second;
  }

  std::unordered_map<ps::Key, double> maxima_;
};

// Whether a push of NaN fails as it should.
bool NanIsRefused(ps::KVWorker<double>* worker, const std::vector<ps::Key>& keys) {
  try {
    worker->Wait(worker->Push(keys, std::vector<double>(keys.size(), std::nan(""))));
  } catch (const ps::Error& error) {
    if (ps::MyRank() == 0) std::cout << "refused, as it should be: " << error.what() << std::endl;
    return error.code() == ps::StatusCode::kInvalidArgument;
  }
  return false;
}

bool RunWorker() {
  ps::KVWorker<double> worker(kApp, 0);
  const std::vector<ps::Key> keys = {7, ps::kMaxKey - 7};  // the first and the last server
  const double mine = ps::MyRank() + 1;
  std::vector<double> so_far;
  worker.Wait(worker.PushPull(keys, {mine, -mine}, &so_far));
  const bool at_least_mine = so_far.at(0) >= mine && so_far.at(1) >= -mine;

  ps::Postoffice::Get()->Barrier(0, ps::kWorkerGroup);
  std::vector<double> maxima;
  worker.Wait(worker.Pull(keys, &maxima));
  std::cout << "worker " << ps::MyRank() << " sees the maxima " << maxima.at(0) << " and " << maxima.at(1)
            << std::endl;
  const bool right = maxima[0] == ps::NumWorkers() && maxima[1] == -1;
  return at_least_mine && right && NanIsRefused(&worker, keys);
}

}  // namespace

int main() {
  try {
    ps::Start(0);
    bool right = true;
    if (ps::IsServer()) {
      MaximumHandle maxima;
      ps::KVServer<double> server(kApp);
      server.set_request_handle(std::ref(maxima));
      ps::Finalize(0);
    } else {
      if (ps::IsWorker()) right = RunWorker();
      ps::Finalize(0);
    }
    return right ? 0 : 1;
  } catch (const std::exception& error) {
    std::cerr << "custom_handle: " << error.what() << std::endl;
    return 1;
  }
}
