// A mailbox that remembers what happened to it.
#ifndef PS_TESTS_SUPPORT_FAKE_MAILBOX_H_
#define PS_TESTS_SUPPORT_FAKE_MAILBOX_H_

#include <condition_variable>
#include <functional>
#include <limits>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "ps/mailbox.h"
#include "ps/postoffice.h"

namespace ps {

class FakeMailbox : public Mailbox {
 public:
  FakeMailbox(int app_id, int customer_id) : app_id_(app_id), customer_id_(customer_id) {}

  std::vector<Message> messages() {
    std::lock_guard<std::mutex> lock(mutex_);
    return messages_;
  }
  std::vector<int> Timestamps() {
    std::vector<int> timestamps;
    for (const Message& message : messages()) timestamps.push_back(message.meta.timestamp);
    return timestamps;
  }
  std::vector<std::string> notes() {
    std::lock_guard<std::mutex> lock(mutex_);
    return notes_;
  }
  // The test's watchdog ends it when they never come.
  void WaitForMessages(size_t count) {
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait(lock, [&] { return messages_.size() >= count; });
  }
  void WaitForNotes(size_t count) {
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait(lock, [&] { return notes_.size() >= count; });
  }

  // Set before it is attached.
  std::function<void(const Message&)> on_message;
  std::function<int64_t(int64_t)> on_timer;
  std::function<void()> on_wait_idle;
  Postoffice* moved_to = nullptr;

 private:
  int app_id() const override { return app_id_; }
  int customer_id() const override { return customer_id_; }
  void Deliver(Message&& message) override {
    std::unique_lock<std::mutex> lock(mutex_);
    messages_.push_back(message);
    changed_.notify_all();
    lock.unlock();
    if (on_message) on_message(message);
  }
  void OnUndelivered(const Meta& meta, const Status& why) override {
    Note("undelivered " + std::to_string(meta.timestamp) + ": " + why.message());
  }
  void OnNodeGone(int node_id, uint64_t, const Status& why) override {
    Note("gone " + std::to_string(node_id) + ": " + why.message());
  }
  void OnClose(const Status& why) override { Note("closed: " + why.message()); }
  int64_t OnTimer(int64_t now_ms) override { return on_timer ? on_timer(now_ms) : kNever; }
  void WaitIdle() override {
    if (on_wait_idle) on_wait_idle();
  }
  void OnMoved(Postoffice* to) override { moved_to = to; }

  static constexpr int64_t kNever = std::numeric_limits<int64_t>::max();

  void Note(const std::string& text) {
    std::lock_guard<std::mutex> lock(mutex_);
    notes_.push_back(text);
    changed_.notify_all();
  }

  const int app_id_;
  const int customer_id_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Message> messages_;   // under mutex_
  std::vector<std::string> notes_;  // the same
};

// A request of (app, customer) for `receiver`.
inline Message RequestTo(int receiver, int app_id, int customer_id, int timestamp) {
  Message message;
  message.meta.request = true;
  message.meta.push = true;
  message.meta.recver = receiver;
  message.meta.app_id = app_id;
  message.meta.customer_id = customer_id;
  message.meta.timestamp = timestamp;
  message.meta.head = 0;
  return message;
}

inline Message AnswerTo(const Meta& request, const std::string& body = "") {
  Message message = RequestTo(request.sender, request.app_id, request.customer_id, request.timestamp);
  message.meta.request = false;
  message.meta.sender_incarnation = request.sender_incarnation;
  message.meta.body = body;
  return message;
}

}  // namespace ps
#endif  // PS_TESTS_SUPPORT_FAKE_MAILBOX_H_
