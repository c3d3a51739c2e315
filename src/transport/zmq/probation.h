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
  // `limit`: bytes that may be held of one connection; more than any message of an honest peer.
  explicit Probation(uint64_t limit) : limit_(limit) {}

  void Begin(int fd);
  // It has closed, or its peer is trusted now.
  void End(int fd);
  bool Has(int fd) const { return held_.count(fd) != 0; }

  // A complete message of it, with this many bytes on the connection, has come out of the library.
  void Read(int fd, uint64_t bytes);
  // The library has taken this many bytes from it, since it began.
  void Taken(int fd, uint64_t bytes);

  // Nothing complete that was taken before the last Taken is left in the library. The connections it holds
  // too much of; each once.
  std::vector<int> TakeExceeding();

  size_t size() const { return held_.size(); }

 private:
  struct Held {
    uint64_t read = 0;
    uint64_t taken = 0;
    bool measured = false;  // since the last look
  };

  const uint64_t limit_;
  std::unordered_map<int, Held> held_;
};

}  // namespace ps
#endif  // PS_TRANSPORT_ZMQ_PROBATION_H_
