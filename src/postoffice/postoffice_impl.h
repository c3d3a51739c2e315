#ifndef PS_POSTOFFICE_POSTOFFICE_IMPL_H_
#define PS_POSTOFFICE_POSTOFFICE_IMPL_H_

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/mutex.h"
#include "base/replaceable.h"
#include "postoffice/node_groups.h"
#include "postoffice/router.h"
#include "ps/environment.h"
#include "ps/postoffice.h"
#include "van/roster.h"
#include "van/van_core.h"

namespace ps {

class LegacyProcess;

// State of a Postoffice. Locks: `life_mutex_` serialises Start and Finalize and is held while they wait, but
// not while exit callbacks run; `mutex_` guards what is read meanwhile and is a leaf. The Van calls the
// VanSink side from its own threads.
class Postoffice::Impl : private VanSink {
 public:
  enum class Phase { kNew, kStarting, kRunning, kEnding, kEnded };

  Impl(Postoffice* owner, Config config, Environment* environment, VanFactory van_factory);
  ~Impl() override;

  Status Start(int customer_id, const char* argv0, bool do_barrier);
  Status Finalize(bool do_barrier);
  void Close();
  Status Barrier(int group, int64_t timeout_ms);
  Status Send(Message&& message, SentFrom from);
  void ReturnCredit(const Meta& request);
  void WakeAt(int64_t at_ms);
  void ReleaseLent(const Lent& lent);
  // Under PS_ON_NODE_LOST=shrink, how many workers are left; -1 otherwise.
  int ShrunkWorkers() const;

  // The configuration in force: of the last Start, else the given one, else what the environment says so far.
  Config CurrentConfig() const;
  Phase phase() const;
  std::string Describe(int node_id) const;

 private:
  friend class Postoffice;
  friend class LegacyProcess;

  // VanSink.
  void OnRoster(const Roster& roster) override;
  void OnMessage(Message&& message) override;
  void OnMessages(std::vector<Message>* messages) override;
  void OnAnswers(const std::vector<BareAnswer>& answers) override;
  bool Borrows(const Meta& meta) override { return router_.Borrows(meta); }
  void OnUndelivered(const Meta& meta, const Status& why) override;
  void OnNodeGone(const Node& node, const Status& why) override;
  void OnOwnLoss(const Status& why) override;
  int64_t OnTimer(int64_t now_ms) override;

  void Accept(const Roster& roster);
  Result<Config> ReadConfig() const;
  Status Join(const Config& config, int customer_id, bool do_barrier);
  Status Settle(const Config& config, bool do_barrier);
  Status Part(bool do_barrier);
  void Refuse(const Message& request, const Status& why);
  void EndVan(const Status& why);
  void RunExitCallbacks();
  std::shared_ptr<void> Attachment(const std::string& name,
                                   const std::function<std::shared_ptr<void>()>& make);
  void DropAttachments();
  std::shared_ptr<Van> van() const;
  // The same without a lock.
  std::shared_ptr<Van> CurrentVan();

  Postoffice* const owner_;
  Environment* const environment_;  // null: config_ is fixed
  const VanFactory van_factory_;
  Router router_;
  LegacyProcess* process_ = nullptr;  // set once by it, before use
  bool wish_counts_ = true;
  std::atomic<int> verbosity_;  // of the configuration in force

  Mutex attachments_mutex_;  // before the Router's
  std::map<std::string, std::shared_ptr<void>> attachments_ PS_GUARDED_BY(attachments_mutex_);
  Mutex life_mutex_;
  mutable Mutex mutex_;
  Config config_ PS_GUARDED_BY(mutex_);
  Phase phase_ PS_GUARDED_BY(mutex_) = Phase::kNew;
  bool closed_ PS_GUARDED_BY(mutex_) = false;  // for good
  // Shared with calls that are under way while the next Start replaces it.
  std::shared_ptr<Van> van_ PS_GUARDED_BY(mutex_);
  // The same, with what every message needs to know.
  struct Way {
    std::shared_ptr<Van> van;
    std::array<SendOptions, 4> options;  // by SentFrom
  };
  Replaceable<Way> way_;
  Roster roster_ PS_GUARDED_BY(mutex_);
  int rank_ PS_GUARDED_BY(mutex_) = -1;
  bool is_recovery_ PS_GUARDED_BY(mutex_) = false;
  // Groups and ranges are handed out by reference: those of a smaller or larger roster join the old ones, all
  // are replaced by Start only.
  std::vector<std::shared_ptr<const NodeGroups>> groups_ PS_GUARDED_BY(mutex_);  // the last one holds
  std::shared_ptr<const std::vector<Range>> ranges_ PS_GUARDED_BY(mutex_);
  std::atomic<const std::vector<Range>*> ranges_now_{nullptr};  // ranges_, for every request
  std::vector<Callback> exit_callbacks_ PS_GUARDED_BY(mutex_);
};

}  // namespace ps
#endif  // PS_POSTOFFICE_POSTOFFICE_IMPL_H_
