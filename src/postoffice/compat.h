#ifndef PS_POSTOFFICE_COMPAT_H_
#define PS_POSTOFFICE_COMPAT_H_

#include <map>
#include <memory>
#include <vector>

#include "base/mutex.h"
#include "ps/postoffice.h"

namespace ps {

// The nodes of one program written for the old API, where a customer id that is started is a node of its own
// (facts F-03 to F-05). The real process has one
// (`LegacyProcess::OfThread()` by default); a LocalCluster makes one per simulated process. Thread-safe.
class LegacyProcess {
 public:
  // `main` is the node the first started id takes. It and `make_node` (further ids) outlive this object's
  // use.
  LegacyProcess(Postoffice* main, std::function<std::unique_ptr<Postoffice>()> make_node);
  ~LegacyProcess();

  // The program the calling thread belongs to: that of its bound node, else the real process.
  static LegacyProcess& OfThread();

  Postoffice* main() { return main_; }

  // The node of the thread, for calls that name no customer id.
  Postoffice* Current();
  // The node started under this id, null if there is none.
  Postoffice* Find(int customer_id);
  // The node an app built with this customer id belongs to for now: the one started under it, else the
  // thread's.
  Postoffice* NodeFor(int customer_id);

  Status Start(int customer_id, const char* argv0, bool do_barrier);
  Status Finalize(int customer_id, bool do_barrier);
  // Closes all nodes; idempotent.
  void Close();

  // A mailbox built before its id was started, on `where`: Start of its id moves it.
  void AddUndecided(Mailbox* mailbox, Postoffice* where);
  // It sent its first request, or goes: it stays where it is.
  void Decide(Mailbox* mailbox);

 private:
  struct Undecided {
    Mailbox* mailbox;
    Postoffice* where;
  };

  Status MoveUndecided(int customer_id, Postoffice* node) PS_REQUIRES(mutex_);

  // The node this id had before, so that a restart gives it the same rank; else the first idle one.
  Postoffice* TakeNode(int customer_id) PS_REQUIRES(mutex_);
  bool IsStarted(const Postoffice* node) const PS_REQUIRES(mutex_);
  Postoffice* FurtherNode() PS_REQUIRES(mutex_);

  Postoffice* const main_;
  const std::function<std::unique_ptr<Postoffice>()> make_node_;
  Mutex mutex_;
  std::map<int, Postoffice*> started_ PS_GUARDED_BY(mutex_);
  std::map<int, Postoffice*> last_ PS_GUARDED_BY(mutex_);  // of every id that was ever started
  std::vector<std::unique_ptr<Postoffice>> further_ PS_GUARDED_BY(mutex_);
  std::vector<Undecided> undecided_ PS_GUARDED_BY(mutex_);
};

}  // namespace ps
#endif  // PS_POSTOFFICE_COMPAT_H_
