#include "store/client_checkpoint.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/log.h"
#include "base/mutex.h"
#include "store/checkpoint/files.h"
#include "store/checkpoint/manifest.h"
#include "store/checkpoint/steps.h"
#include "store/client_op.h"
#include "store/ticket_state.h"

namespace ps {
namespace {

// What the servers have written so far.
class ShardFiles {
 public:
  explicit ShardFiles(std::uint64_t step) { manifest_.step = step; }

  void Add(const std::string& text) {
    Result<ShardFile> file = DecodeShardFile(text);
    MutexLock lock(mutex_);
    if (file.ok()) {
      manifest_.shards.push_back(std::move(file).value());
    } else if (failed_.ok()) {
      failed_ = file.status();
    }
  }
  Result<std::uint64_t> Commit(const std::string& uri, int keep) {
    MutexLock lock(mutex_);
    PS_RETURN_IF_ERROR(failed_);
    std::sort(manifest_.shards.begin(), manifest_.shards.end(),
              [](const ShardFile& a, const ShardFile& b) { return a.server < b.server; });
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    manifest_.saved_at_ms = std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
    const auto files = OpenCheckpointFiles(uri);
    PS_RETURN_IF_ERROR(files.status());
    PS_RETURN_IF_ERROR(WriteManifest(files.value().get(), manifest_));
    // The checkpoint is there: that older ones stay is no failure of it.
    const Status removed = RemoveOldSteps(files.value().get(), static_cast<std::size_t>(keep));
    if (!removed.ok())
      PS_LOG(kWarning, "", "older checkpoints at " << uri << " were not removed: " << removed);
    return manifest_.step;
  }

 private:
  Mutex mutex_;
  Manifest manifest_ PS_GUARDED_BY(mutex_);
  Status failed_ PS_GUARDED_BY(mutex_);
};

}  // namespace

// First where to, then each table that the server has a part of, as a read of its own at this moment. One
// that has lost its part (it was started again without it) fails the checkpoint, which must not replace
// better ones.
std::vector<ServerLink::Addressed> ClientCheckpoint::RequestsFor(
    const std::string& uri, std::uint64_t step, const std::vector<std::shared_ptr<ClientTable>>& tables) {
  std::vector<ServerLink::Addressed> requests(static_cast<std::size_t>(link_->num_servers()));
  for (std::size_t server = 0; server < requests.size(); ++server) {
    requests[server].server = static_cast<int>(server);
    requests[server].request.may_wait = true;
    Op op;
    op.code = OpCode::kSave;
    op.round = step;
    op.text = uri;
    requests[server].request.ops.push_back(op);
    op.text.clear();
    for (const auto& table : tables) {
      if (!table->IsOn(static_cast<int>(server))) continue;
      op.table = table->id();
      op.round = table->RoundAt(static_cast<int>(server));
      requests[server].request.ops.push_back(op);
    }
  }
  return requests;
}

Status ClientCheckpoint::Begin(const std::string& uri,
                               const std::vector<std::shared_ptr<ClientTable>>& tables, int keep, Done done) {
  if (keep < 1)
    return Status::InvalidArgument("a checkpoint keeps 1 step at least, not " + std::to_string(keep));
  const auto files = OpenCheckpointFiles(uri);
  PS_RETURN_IF_ERROR(files.status());
  const Result<std::uint64_t> step = NextStep(files.value().get());
  PS_RETURN_IF_ERROR(step.status());
  const auto written = std::make_shared<ShardFiles>(step.value());
  auto state = std::make_shared<TicketState>(link_);
  state->Then([uri, keep, written, done = std::move(done)](const Status& outcome) {
    done(outcome.ok() ? written->Commit(uri, keep) : Result<std::uint64_t>(outcome));
  });
  const auto keep_text = [written](int, const std::vector<OpReply>& replies) {
    written->Add(replies.front().text);
  };
  auto sink =
      std::make_shared<ClientOp>(state, ClientOp::Destination(), std::vector<ClientOp::Part>(), keep_text);
  try {
    link_->Send(RequestsFor(uri, step.value(), tables), std::move(sink));
  } catch (const Error& error) {
    return error.status();
  }
  return Status::Ok();
}

Result<std::uint64_t> ClientCheckpoint::Newest(const std::string& uri) {
  const auto files = OpenCheckpointFiles(uri);
  PS_RETURN_IF_ERROR(files.status());
  const Result<NewestStep> newest = FindNewestStep(files.value().get());
  PS_RETURN_IF_ERROR(newest.status());
  for (const std::uint64_t step : newest.value().incomplete)
    PS_LOG(kWarning, "",
           "checkpoint " << step << " at " << uri << " was never finished; an older one is taken");
  return newest.value().step;
}

}  // namespace ps
