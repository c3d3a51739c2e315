#ifndef PS_STORE_CLIENT_OP_H_
#define PS_STORE_CLIENT_OP_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "ps/sarray.h"
#include "store/codec/codec.h"
#include "store/op.h"
#include "store/server_link.h"
#include "store/ticket_state.h"

namespace ps {

// One call of a client on one table while its answers come: puts what was read where it belongs, and finishes
// the ticket.
class ClientOp : public AnswerSink {
 public:
  // Where rows that are read go: row i of those asked for to values + i * row_bytes.
  struct Destination {
    char* values = nullptr;  // null: nothing is read
    std::size_t row_bytes = 0;
    std::size_t row_elements = 0;
    const Codec* codec = nullptr;                   // of what comes; null: as it is
    std::vector<std::uint32_t>* changed = nullptr;  // where wanted: the rows that came, in any order
    std::shared_ptr<const void> keep = nullptr;     // what owns the caller's memory
    // Of a program's own table: is handed each answer as it is, which it must copy.
    std::function<Status(int server, const StoreAnswer& answer)> take = nullptr;
  };
  // One operation at one server that reads.
  struct Part {
    int server = 0;
    std::size_t op = 0;  // its place in the message
    bool is_delta = false;
    std::size_t first = 0;  // of a run: where its rows begin among those asked for
    std::size_t count = 0;
    std::vector<std::uint32_t> places;  // else, where each stands
  };
  // What a server says beside its values, once per server that has answered.
  using OnReplies = std::function<void(int server, const std::vector<OpReply>& replies)>;

  // `parts` in order of servers and operations.
  ClientOp(std::shared_ptr<TicketState> ticket, const Destination& destination, std::vector<Part> parts,
           OnReplies on_replies);

  // What it uses lives as long as it does.
  void KeepAlive(std::shared_ptr<const void> used) { used_ = std::move(used); }
  Status OnAnswer(int server, const StoreAnswer& answer) override;
  void OnDone(const Status& outcome) override;

 private:
  // The keys and values of one reply.
  struct Content {
    const Key* keys = nullptr;
    std::size_t num_keys = 0;
    const char* bytes = nullptr;
    std::size_t num_bytes = 0;
  };

  const Part* PartOf(int server, std::size_t op) const;
  Status Fill(const Part& part, const Content& content);
  Status FillRows(const Part& part, const Content& content, const char* rows, std::size_t count);
  Status CheckContent(const Part& part, const Content& content) const;

  const std::shared_ptr<TicketState> ticket_;
  const Destination destination_;
  const std::vector<Part> parts_;
  const OnReplies on_replies_;
  std::shared_ptr<const void> used_;
};

}  // namespace ps
#endif  // PS_STORE_CLIENT_OP_H_
