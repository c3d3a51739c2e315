#include "cluster/roll_call.h"

#include <string>
#include <utility>

#include "base/mutex.h"
#include "base/parse.h"
#include "ps/simple_app.h"

namespace ps {
namespace {

// The app id that processes tell of themselves by.
constexpr int kRollApp = 0x5707a;

int RankOf(const Postoffice* node) { return node == nullptr ? -1 : node->my_rank(); }

// Who hears of all.
int CallerId(const Postoffice& node) {
  return node.num_servers() > 0 ? Postoffice::ServerRankToID(0) : Postoffice::WorkerRankToID(0);
}

int IdOf(const Postoffice& node) {
  return node.is_server() ? Postoffice::ServerRankToID(node.my_rank())
                          : Postoffice::WorkerRankToID(node.my_rank());
}

// The node of this process that speaks for it: the one that hears of all, if it is here.
Postoffice* Speaker(Postoffice* worker, Postoffice* server) {
  if (server != nullptr && (worker == nullptr || IdOf(*server) == CallerId(*server))) return server;
  return worker;
}

}  // namespace

class RollCall::Impl {
 public:
  Impl(Postoffice* worker, Postoffice* server)
      : node_(*Speaker(worker, server)),
        own_{RankOf(worker), RankOf(server)},
        roll_(node_.num_workers(), node_.num_servers()),
        app_(&node_, kRollApp, kRollApp) {
    app_.set_response_handle([this](const SimpleData& received, SimpleApp*) {
      MutexLock lock(mutex_);
      answer_ = received.body;
    });
    app_.set_request_handle([this](const SimpleData& received, SimpleApp*) { OnProcess(received); });
  }

  Result<std::vector<ProcessMembers>> Take(std::chrono::milliseconds timeout) {
    const int timestamp = app_.Request(0, EncodeProcesses({own_}), CallerId(node_));
    const Status heard = app_.WaitFor(timestamp, timeout);
    MutexLock lock(mutex_);
    if (heard.code() == StatusCode::kDeadlineExceeded) {
      const bool is_caller = IdOf(node_) == CallerId(node_);
      (void)roll_.Add(own_);  // refused where it is known, as it mostly is
      return Status::DeadlineExceeded(
          "not all processes have come within " + FormatSeconds(timeout.count()) + " s" +
          (is_caller ? ": the processes of " + roll_.Missing() + " are missing" : "") +
          " (PS_START_TIMEOUT)");
    }
    PS_RETURN_IF_ERROR(heard);
    return DecodeProcesses(answer_);
  }

 private:
  void OnProcess(const SimpleData& received) {
    std::vector<SimpleData> waiting;
    std::string answer;
    {
      MutexLock lock(mutex_);
      const auto processes = DecodeProcesses(received.body);
      for (const ProcessMembers& process : processes.value()) ThrowIfError(roll_.Add(process));
      waiting_.push_back(received);
      if (!roll_.complete()) return;
      waiting.swap(waiting_);
      answer = EncodeProcesses(roll_.InOrder());
    }
    for (const SimpleData& request : waiting) app_.Response(request, answer);
  }

  Postoffice& node_;
  const ProcessMembers own_;
  Mutex mutex_;
  Roll roll_ PS_GUARDED_BY(mutex_);  // at the one that hears of all
  std::vector<SimpleData> waiting_ PS_GUARDED_BY(mutex_);
  std::string answer_ PS_GUARDED_BY(mutex_);
  SimpleApp app_;  // last: its thread uses the others
};

RollCall::RollCall(Postoffice* worker, Postoffice* server) : impl_(std::make_unique<Impl>(worker, server)) {}
RollCall::~RollCall() = default;

Result<std::vector<ProcessMembers>> RollCall::Take(std::chrono::milliseconds timeout) {
  return impl_->Take(timeout);
}

}  // namespace ps
