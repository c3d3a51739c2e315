#ifndef PS_TRANSPORT_ZMQ_PEERS_H_
#define PS_TRANSPORT_ZMQ_PEERS_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "base/counters.h"
#include "ps/status.h"
#include "transport/poll_set.h"
#include "transport/transport.h"
#include "transport/zmq/connections.h"
#include "transport/zmq/monitor.h"
#include "transport/zmq/multipart.h"
#include "transport/zmq/probation.h"

namespace ps {

// Who is connected to a ROUTER: tells whose connection has closed and who was turned away, and cuts off
// strangers that make the library hold too much. Until its peer is trusted a TCP connection is in the poll
// set, which costs nothing while nothing comes. A user of the ROUTER as far as locking goes.
class Peers {
 public:
  // Before `router` is bound; it outlives this and is open then. Watched by `poll_set`: the reports under
  // `report_tag`, connections under ConnectionTag.
  struct Plan {
    uint64_t report_tag = 0;
    uint64_t max_message_bytes = 0;  // of one part
  };
  static Result<std::unique_ptr<Peers>> Make(const ZmqContext& context, ZmqSocket* router,
                                             std::shared_ptr<PollSet> poll_set, const Plan& plan);
  Peers(std::unique_ptr<Monitor> monitor, std::shared_ptr<PollSet> poll_set, const Plan& plan);

  // The ROUTER listens there. 0: at no TCP port.
  void set_port(int port) { port_ = port; }

  // The descriptor in a tag of the poll set; -1 if it is not one of a connection.
  static int ConnectionOfTag(uint64_t tag);

  // A message of `peer` was read, which the transport calls `path`. True if it is not trusted yet.
  bool OnMessage(const RouterPeer& peer, const ReturnPath& path);
  // Behind some messages. `drained`: the ROUTER had no more.
  void OnBatch(bool drained);
  // The poll set says so.
  void OnReports() { ReadReports(); }
  void OnBytes(int fd);
  void Trust(int fd);

  // What to tell. Paths come when the ROUTER has been drained after they have closed.
  struct News {
    std::vector<ReturnPath> closed;
    std::vector<Counter> dropped;
    bool empty() const { return closed.empty() && dropped.empty(); }
  };
  News TakeNews() { return std::exchange(news_, {}); }
  // True if draining the ROUTER would bring news, although it may have nothing.
  bool WantsDrain() const { return !closing_.empty() || measured_; }

 private:
  void ReadReports();
  // Notes whose messages the newcomers' were.
  void Introduce();
  void Watch(int fd);

  const std::unique_ptr<Monitor> monitor_;
  const std::shared_ptr<PollSet> poll_set_;
  int port_ = 0;
  Connections connections_;
  Probation probation_;
  struct Newcomer {
    int fd = -1;
    ReturnPath path;
    uint64_t wire_bytes = 0;
  };
  std::vector<Newcomer> newcomers_;
  std::vector<ReturnPath> closing_;  // the ROUTER may still have frames of them
  bool measured_ = false;
  News news_;
};

}  // namespace ps
#endif  // PS_TRANSPORT_ZMQ_PEERS_H_
