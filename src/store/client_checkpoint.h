#ifndef PS_STORE_CLIENT_CHECKPOINT_H_
#define PS_STORE_CLIENT_CHECKPOINT_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "ps/status.h"
#include "ps/ticket.h"
#include "store/client_table.h"
#include "store/server_link.h"

namespace ps {

// The client's half of a checkpoint: asks every server for its file, and writes the manifest when all have
// one. Any thread.
class ClientCheckpoint {
 public:
  explicit ClientCheckpoint(std::shared_ptr<ServerLink> link) : link_(std::move(link)) {}

  // Begins a checkpoint of `tables` below `uri`, after what this client has contributed so far. `done` is
  // called by the link's thread, with the step, when the manifest is there, or with why it is not; then only
  // the newest `keep` are left. Not before all servers have answered.
  using Done = std::function<void(const Result<std::uint64_t>& step)>;
  Status Begin(const std::string& uri, const std::vector<std::shared_ptr<ClientTable>>& tables, int keep,
               Done done);
  // The newest complete one.
  static Result<std::uint64_t> Newest(const std::string& uri);

 private:
  std::vector<ServerLink::Addressed> RequestsFor(const std::string& uri, std::uint64_t step,
                                                 const std::vector<std::shared_ptr<ClientTable>>& tables);

  const std::shared_ptr<ServerLink> link_;
};

}  // namespace ps
#endif  // PS_STORE_CLIENT_CHECKPOINT_H_
