// Frames that almost fit: well-formed ones of every kind, with a few things wrong.
#ifndef PS_TESTS_SUPPORT_FRAME_FORGE_H_
#define PS_TESTS_SUPPORT_FRAME_FORGE_H_

#include <array>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "transport/transport.h"

namespace ps {

// In whose name frames are made, and for whom.
struct ForgedParties {
  uint32_t sender = 0;
  uint64_t sender_incarnation = 0;
  uint32_t receiver = 0;
  uint64_t receiver_incarnation = 0;
};

// One per pair of parties: it numbers sequenced frames as a sender does, so that many reach what comes after
// delivery.
class FrameForge {
 public:
  FrameForge(uint64_t seed, const ForgedParties& parties) : random_(seed), parties_(parties) {}

  // The next frame: of a random kind, in one of five cases as it should be, else mutated.
  Frame Next();

 private:
  Frame Proper();
  Header Begin(FrameKind kind);
  Frame Data();
  Frame Control();
  Frame Handshake();
  Frame Have();
  Frame WithBody(Header header, const SArray<char>& body);

  void Mutate(Frame* frame);
  void MutateHeader(Frame* frame);
  void MutateSizes(Header* header);
  void MutateNumbers(Header* header);
  void MutateParties(Header* header);
  void MutatePayload(Frame* frame);

  uint64_t Below(uint64_t bound) { return random_() % bound; }
  bool Chance(uint64_t percent) { return Below(100) < percent; }
  // Near 0, near the ends of 8, 16, 31, 32, 63 or 64 bits, or anything.
  uint64_t Extreme();
  SArray<char> Bytes(size_t size);

  std::mt19937_64 random_;
  const ForgedParties parties_;
  uint64_t sequence_ = 0;
};

}  // namespace ps
#endif  // PS_TESTS_SUPPORT_FRAME_FORGE_H_
