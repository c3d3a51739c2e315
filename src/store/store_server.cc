#include "ps/store_server.h"

#include <algorithm>
#include <random>
#include <thread>
#include <utility>

#include "app/customer_core.h"
#include "app/node_text.h"
#include "base/log.h"
#include "ps/postoffice.h"
#include "ps/simple_app.h"
#include "ps/user_shard.h"
#include "store/client_checkpoint.h"
#include "store/loss_watch.h"
#include "store/network_link.h"
#include "store/store_message.h"
#include "store/store_server_core.h"

namespace ps {
namespace {

// Where there are two cores, those who receive and who ask have them: a thread more costs more in wake-ups
// than it gains (`ps_bench --rows store,kvstore,tables` with PS_SERVER_THREADS=0 and =1).
int NumThreads(const Config& config) {
  if (config.server_threads >= 0) return config.server_threads;
  const int cores = static_cast<int>(std::thread::hardware_concurrency());
  return cores <= 2 ? 0 : std::min(cores - 1, 4);
}

StoreServerCore::Options OptionsOf(Postoffice& node, std::vector<std::string> command_line) {
  const Config config = node.config();
  StoreServerCore::Options options;
  options.server = node.my_rank();
  options.num_servers = node.num_servers();
  options.num_workers = node.num_workers();
  options.num_threads = NumThreads(config);
  options.epoch = std::random_device()() | 1u;
  options.memory_limit = static_cast<std::uint64_t>(config.server_memory_limit);
  options.message_limit.bytes = static_cast<std::uint64_t>(config.max_message_bytes);
  options.command_line = std::move(command_line);
  options.node = &node;
  return options;
}

Postoffice* CheckServer(Postoffice* node) {
  if (node == nullptr) node = Postoffice::Get();
  if (!node->is_server()) ThrowIfError(Status::FailedPrecondition("a StoreServer is for server nodes"));
  return node;
}

}  // namespace

// The network around a StoreServerCore. Requests are handled by whoever receives: that takes decisions and
// posts the work.
class StoreServer::Impl : public SimpleApp, public UserShardHost {
 public:
  Impl(Postoffice* node, std::vector<std::string> command_line)
      : node_(node),
        on_node_lost_(node->config().on_node_lost),
        core_(OptionsOf(*node, std::move(command_line))),
        losses_(node, kStoreLossApp, [this](int lost, const Status& why) { OnLoss(lost, why); }) {
    if (node->is_recovery()) Restore(node->config().checkpoint_dir);
    MakeCustomer(node, kStoreApp, kStoreApp);
    CustomerCore& customer = obj_->core();
    customer.set_inline(true);
    customer.borrowing.of_requests.store(true);
    obj_->Open();
  }
  ~Impl() override { Close(); }

  void Register(const std::string& table, const std::string& code, const MakeUserShard& make) override {
    ThrowIfError(core_.Register(table, code, make));
  }
  void Close() {
    core_.Close();  // first: its threads answer through the customer
    CloseCustomer();
  }

 private:
  void Process(const Message& message) override {
    if (!message.meta.request) return;
    const Asked asked = Asked::By(message.meta);
    if (message.meta.simple_app)
      return obj_->core().SendError(asked, Status::InvalidArgument("the store takes no commands"));
    Result<StoreRequest> content = UnpackRequest(message);
    if (!content.ok()) return obj_->core().SendError(asked, content.status());
    const int sender = message.meta.sender;
    const bool is_worker = sender > kScheduler && (sender & 1) != 0;
    const StoreServerCore::Asker asker{is_worker ? Postoffice::IDtoRank(sender) : -1,
                                       message.meta.sender_incarnation};
    core_.Handle(asker, std::move(content).value(), message.meta.borrowed,
                 [this, asked](StoreAnswer&& answer) {
                   obj_->core().SendResponse(asked, PackAnswer(std::move(answer)));
                 });
  }

  // A server that takes the place of a lost one goes on with what was saved last.
  void Restore(const std::string& uri) {
    if (uri.empty()) return;
    const Result<std::uint64_t> step = ClientCheckpoint::Newest(uri);
    const Status restored = step.ok() ? core_.Load(uri, step.value()) : step.status();
    if (restored.ok()) {
      PS_LOG(kInfo, LogName(node_), "restored its tables from checkpoint " << step.value() << " at " << uri);
    } else {
      PS_LOG(kError, LogName(node_), "restored nothing from " << uri << " (PS_CHECKPOINT_DIR): " << restored);
    }
  }

  void OnLoss(int lost, const Status& why) {
    const bool is_worker = lost > kScheduler && (lost & 1) != 0;
    if (!is_worker) return;
    core_.ForgetLoadOf(Postoffice::IDtoRank(lost));
    if (on_node_lost_ == OnNodeLost::kWait) return;
    core_.OnWorkerGone(Postoffice::IDtoRank(lost), on_node_lost_ == OnNodeLost::kShrink, why);
  }

  Postoffice* const node_;
  const OnNodeLost on_node_lost_;
  StoreServerCore core_;
  LossWatch losses_;
};

StoreServer::StoreServer(Postoffice* node, std::vector<std::string> command_line)
    : impl_(std::make_unique<Impl>(CheckServer(node), std::move(command_line))) {}
StoreServer::~StoreServer() = default;
UserShardHost& StoreServer::user_shards() { return *impl_; }
void StoreServer::Close() { impl_->Close(); }

}  // namespace ps
