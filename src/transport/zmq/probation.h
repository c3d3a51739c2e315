#ifndef PS_TRANSPORT_ZMQ_PROBATION_H_
#define PS_TRANSPORT_ZMQ_PROBATION_H_

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace ps {

// Decides which connections to cut off. The library bounds the parts of a message but not their number, and
// holds an unfinished message however large it gets; so what it has taken from a connection is compared with
// what came out of it in complete messages, until its peer has proved to be a member of the job. Pure.
class Probation {
 public:
  struct Limits {
    uint64_t unfinished = 0;  // bytes held of one connection that are no complete message
    uint64_t unread = 0;      // the same with complete messages that nobody has read yet
  };
  // Both more than what is ever held of an honest peer.
  explicit Probation(Limits limits) : limits_(limits) {}

  void Begin(int fd);
  // It has closed, or its peer is trusted now.
  void End(int fd);
  bool Has(int fd) const { return held_.count(fd) != 0; }

  // A complete message of it, with this many bytes on the connection, has come out of the library.
  void Read(int fd, uint64_t bytes);
  // The library has taken this many bytes from it, since it began.
  void Taken(int fd, uint64_t bytes);

  // The connections that the library holds too much of; each once. `drained`: it has no complete message left
  // that was there at the last Taken.
  std::vector<int> TakeExceeding(bool drained);

  size_t size() const { return held_.size(); }

 private:
  struct Held {
    uint64_t read = 0;
    uint64_t taken = 0;
    bool measured = false;  // since it was drained last
  };

  const Limits limits_;
  std::unordered_map<int, Held> held_;
};

}  // namespace ps
#endif  // PS_TRANSPORT_ZMQ_PROBATION_H_
