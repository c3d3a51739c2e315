#ifndef PS_VAN_MESSAGE_LOG_H_
#define PS_VAN_MESSAGE_LOG_H_

#include <atomic>

#include "ps/message.h"

namespace ps {

// The lines of PS_VERBOSE=2: every message once when it is sent and once when it is received. Thread-safe.
class MessageLog {
 public:
  explicit MessageLog(bool on) : on_(on) {}

  bool is_on() const { return on_; }
  // Node::kEmpty for an id that is not known yet.
  void Data(const Message& message, int sender, int receiver) const {
    if (on_) PrintData(message, sender, receiver);
  }
  // A control message by its body on the wire. `request`: of a barrier, an arrival.
  void Control(Control::Command command, const SArray<char>& body, int sender, int receiver, bool request);
  // A registration that goes to the scheduler or has come there.
  void Registering(const Node& node);

 private:
  static void PrintData(const Message& message, int sender, int receiver);
  void Print(Meta meta);

  const bool on_;
  std::atomic<int> next_timestamp_{0};  // control messages are numbered for the log alone
};

}  // namespace ps
#endif  // PS_VAN_MESSAGE_LOG_H_
