#ifndef PS_STORE_FUSION_H_
#define PS_STORE_FUSION_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <set>
#include <vector>

#include "store/server_link.h"

namespace ps {

// Puts small requests for one server together into few messages. Pure: what is to be sent is handed back; its
// owner has a lock.
//
// A message is answered when all of it can be. So what may have to wait for other workers travels apart: else
// an acknowledgement would wait with it, and whoever waits for that could be the one they wait for. It goes
// behind what was called before it, and before what is called later for the same tables.
class Fusion {
 public:
  struct Bounds {
    std::size_t max_small_bytes = 64 << 10;   // of what is sent, or read: larger ones travel alone
    std::size_t max_fused_bytes = 256 << 10;  // of a message or its answer: with that much it goes

    // Each message, which may be larger by a small request, is within the limit.
    Bounds Within(const MessageLimit& limit) const {
      const auto half = static_cast<std::size_t>(limit.bytes / 2);
      return {std::min(max_small_bytes, half), std::min(max_fused_bytes, half)};
    }
  };
  // Several requests in one message, in order.
  struct Fused {
    int server = 0;
    StoreRequest request;
    struct Piece {
      std::shared_ptr<AnswerSink> sink;
      std::size_t num_ops = 0;
    };
    std::vector<Piece> pieces;
  };

  Fusion(int num_servers, const Bounds& bounds)
      : bounds_(bounds), servers_(static_cast<std::size_t>(num_servers)) {}

  // Adds a request; what has to be sent now is appended to `out`.
  void Add(ServerLink::Addressed&& addressed, std::shared_ptr<AnswerSink> sink, std::vector<Fused>* out);
  void TakeAll(std::vector<Fused>* out);

 private:
  struct Gathered {
    std::vector<StoreRequest> requests;
    std::vector<std::shared_ptr<AnswerSink>> sinks;
    std::size_t bytes = 0;
  };
  struct OfServer {
    Gathered prompt;
    Gathered may_wait;
    std::set<std::uint64_t> tables;  // of may_wait
  };

  void Take(int server, std::vector<Fused>* out);
  static void TakeOne(int server, Gathered* gathered, std::vector<Fused>* out);

  const Bounds bounds_;
  std::vector<OfServer> servers_;
};

}  // namespace ps
#endif  // PS_STORE_FUSION_H_
