// For tests of Inbound: what it has told its handler, in words.
#ifndef PS_TESTS_SUPPORT_INBOUND_RECORDER_H_
#define PS_TESTS_SUPPORT_INBOUND_RECORDER_H_

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "van/inbound.h"

namespace ps {

class InboundRecorder : public InboundHandler {
 public:
  void OnUnproven(const Node& applicant, const Handshake::Judgement& judgement,
                  const ReturnPath& from) override {
    const bool is_challenge = judgement.verdict == Handshake::Verdict::kChallenge;
    events.push_back((is_challenge ? "challenge " : "refuse ") + applicant.hostname + " at " + from);
    nonce = judgement.nonce;
  }
  void OnChallenge(const Digest& challenge) override {
    events.push_back("challenged");
    nonce = challenge;
  }
  void OnForeign(const std::string& why) override { events.push_back("foreign: " + why); }
  void OnRegister(const Registration& registration, const ReturnPath& from) override {
    events.push_back("register " + registration.node.hostname + " from " + from);
  }
  void OnNotice(HandshakeStep step, const Notice& notice, uint64_t) override {
    events.push_back("notice " + std::to_string(static_cast<int>(step)) + " " + notice.text);
  }
  void OnControl(int sender, Control::Command command, const SArray<char>& body) override {
    events.push_back("control " + std::to_string(sender) + " " + std::to_string(command) + " " +
                     std::string(body.data(), body.size()));
    if (on_control) on_control();
  }
  void OnData(const Header& header, Blocks&& blocks, bool) override {
    const Blocks taken = std::move(blocks);
    events.push_back("data " + std::to_string(header.sender) + " " + std::to_string(header.timestamp));
    if (on_data) on_data();
  }
  void EndOfData() override { ++num_ends; }
  void OnRefusedData(const Header& header, const Status&) override {
    events.push_back("data " + std::to_string(header.sender) + " " + std::to_string(header.timestamp) +
                     " refused");
  }
  void OnSignOfLife(int sender, bool wants_answer) override {
    signs.push_back(sender);
    num_to_answer += wants_answer ? 1 : 0;
  }
  void OnFencedSender(uint64_t incarnation, const ReturnPath& from) override {
    fenced.emplace_back(incarnation, from);
  }
  void OnConnectionClosed(int node, const ReturnPath& from) override {
    events.push_back("closed " + std::to_string(node) + " " + from);
  }

  std::vector<std::string> events;
  std::vector<int> signs;
  std::vector<std::pair<uint64_t, ReturnPath>> fenced;
  int num_to_answer = 0;
  int num_ends = 0;  // of data
  Digest nonce{};
  std::function<void()> on_control;
  std::function<void()> on_data;
};

}  // namespace ps

#endif  // PS_TESTS_SUPPORT_INBOUND_RECORDER_H_
