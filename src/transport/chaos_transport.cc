#include "transport/chaos_transport.h"

#include <algorithm>
#include <list>
#include <random>
#include <string>
#include <utility>

#include "base/log.h"
#include "transport/forwarding_transport.h"

namespace ps {
namespace {

constexpr int64_t kNeverMs = CondVar::kNever;
constexpr int64_t kLongestWaitMs = 3600 * 1000;

// Decides about every frame and keeps those that are held back. Of the polling thread; time is passed in.
class ChaosFilter : public FrameSink {
 public:
  explicit ChaosFilter(const ChaosOptions& options) : options_(options), random_(options.seed) {}

  // Where frames go and what time it is, until the next Begin.
  void Begin(FrameSink* sink, int64_t now_ms);
  void OnFrame(Frame&& frame, const ReturnPath& from) override;
  // At once, so it may come before frames that are held.
  void OnPeerClosed(const ReturnPath& from) override { sink_->OnPeerClosed(from); }
  void OnDropped(Counter why) override { sink_->OnDropped(why); }
  bool IsFromMember() const override { return sink_->IsFromMember(); }
  void BeginBatch() override { sink_->BeginBatch(); }
  void EndBatch() override { sink_->EndBatch(); }
  // Lets go what is due.
  void ReleaseDue(int64_t now_ms);

  // kNeverMs when nothing is held.
  int64_t next_due_ms() const;
  int delivered() const { return delivered_; }
  void Clear() { held_.clear(); }

 private:
  struct Held {
    Frame frame;
    ReturnPath from;
    int64_t due_ms = 0;
    int frames_to_pass = 0;  // 0: only time releases it
  };

  // What happens to one frame. Every frame draws as many numbers, so that a seed means the same whatever is
  // switched on.
  struct Fate {
    bool drop, duplicate, reorder, delay;
    int delay_ms, duplicate_delay_ms, frames_to_pass;
  };
  Fate Draw();
  bool Happens(double percent) { return static_cast<double>(random_() % 1000000) < percent * 10000; }
  int Between(int low, int high) {
    return low + static_cast<int>(random_() % static_cast<uint64_t>(high - low + 1));
  }

  void Hold(const Frame& frame, const ReturnPath& from, int delay_ms, int frames_to_pass);
  // Gives the frame to the sink, and then those that waited for it to pass.
  void Pass(Frame&& frame, const ReturnPath& from);

  const ChaosOptions options_;
  std::mt19937_64 random_;
  std::list<Held> held_;
  FrameSink* sink_ = nullptr;
  int64_t now_ms_ = 0;
  int delivered_ = 0;
};

void ChaosFilter::Begin(FrameSink* sink, int64_t now_ms) {
  sink_ = sink;
  now_ms_ = now_ms;
  delivered_ = 0;
}

ChaosFilter::Fate ChaosFilter::Draw() {
  Fate fate;
  const int longest = std::max(1, options_.max_delay_ms);
  fate.drop = Happens(options_.drop_percent);
  fate.duplicate = Happens(options_.duplicate_percent);
  fate.reorder = Happens(options_.reorder_percent);
  fate.delay = Happens(options_.delay_percent);
  fate.delay_ms = Between(1, longest);
  fate.duplicate_delay_ms = Between(0, longest);
  fate.frames_to_pass = Between(1, 3);
  return fate;
}

void ChaosFilter::OnFrame(Frame&& frame, const ReturnPath& from) {
  const Fate fate = Draw();
  if (options_.spare && options_.spare(frame)) return Pass(std::move(frame), from);
  if (fate.drop) {
    if (options_.on_drop) options_.on_drop(frame);
    sink_->OnDropped(Counter::kDroppedForTest);
    return;
  }
  if (fate.duplicate) Hold(frame, from, fate.duplicate_delay_ms, 0);
  if (fate.reorder) return Hold(frame, from, std::max(1, options_.max_delay_ms), fate.frames_to_pass);
  if (fate.delay) return Hold(frame, from, fate.delay_ms, 0);
  Pass(std::move(frame), from);
}

void ChaosFilter::Hold(const Frame& frame, const ReturnPath& from, int delay_ms, int frames_to_pass) {
  // A copy: what a transport hands out may be the sender's memory.
  held_.push_back(Held{frame.DeepCopy(), from, now_ms_ + delay_ms, frames_to_pass});
}

void ChaosFilter::Pass(Frame&& frame, const ReturnPath& from) {
  ++delivered_;
  sink_->OnFrame(std::move(frame), from);
  std::list<Held> passed;
  for (auto at = held_.begin(); at != held_.end();) {
    const auto one = at++;
    if (one->frames_to_pass > 0 && --one->frames_to_pass == 0) passed.splice(passed.end(), held_, one);
  }
  delivered_ += static_cast<int>(passed.size());
  for (Held& held : passed) sink_->OnFrame(std::move(held.frame), held.from);
}

void ChaosFilter::ReleaseDue(int64_t now_ms) {
  now_ms_ = now_ms;
  std::list<Held> due;
  for (auto at = held_.begin(); at != held_.end();) {
    const auto one = at++;
    if (one->due_ms <= now_ms) due.splice(due.end(), held_, one);
  }
  delivered_ += static_cast<int>(due.size());
  for (Held& held : due) sink_->OnFrame(std::move(held.frame), held.from);
}

int64_t ChaosFilter::next_due_ms() const {
  int64_t next = kNeverMs;
  for (const Held& held : held_) next = std::min(next, held.due_ms);
  return next;
}

class ChaosTransport : public ForwardingTransport {
 public:
  ChaosTransport(std::unique_ptr<Transport> inner, const ChaosOptions& options)
      : ForwardingTransport(std::move(inner)), clock_(*options.clock), filter_(options) {}
  ~ChaosTransport() override { Close(0); }

  int Poll(FrameSink* sink, int timeout_ms) override;
  void Close(int linger_ms) override;

 private:
  const Clock& clock_;
  ChaosFilter filter_;
};

int ChaosTransport::Poll(FrameSink* sink, int timeout_ms) {
  const int64_t now_ms = clock_.NowMs();
  filter_.Begin(sink, now_ms);
  filter_.ReleaseDue(now_ms);
  if (filter_.delivered() > 0) timeout_ms = 0;
  const int64_t next_ms = filter_.next_due_ms();
  if (next_ms != kNeverMs) {
    const int wait_ms = static_cast<int>(std::min<int64_t>(next_ms - now_ms, kLongestWaitMs));
    timeout_ms = timeout_ms < 0 ? wait_ms : std::min(timeout_ms, wait_ms);
  }
  inner_->Poll(&filter_, timeout_ms);
  filter_.ReleaseDue(clock_.NowMs());
  return filter_.delivered();
}

void ChaosTransport::Close(int linger_ms) {
  inner_->Close(linger_ms);
  filter_.Clear();
}

}  // namespace

std::unique_ptr<Transport> MakeChaosTransport(std::unique_ptr<Transport> inner, const ChaosOptions& options) {
  ChaosOptions seeded = options;
  if (seeded.seed == 0) seeded.seed = std::random_device()();
  const bool active = seeded.drop_percent > 0 || seeded.duplicate_percent > 0 || seeded.reorder_percent > 0 ||
                      seeded.delay_percent > 0;
  if (active) {
    PS_LOG(kInfo, "",
           "received frames go wrong on purpose: seed "
               << seeded.seed << ", drop " << seeded.drop_percent << " %, duplicate "
               << seeded.duplicate_percent << " %, reorder " << seeded.reorder_percent << " %, delay "
               << seeded.delay_percent << " %");
  }
  return std::make_unique<ChaosTransport>(std::move(inner), seeded);
}

}  // namespace ps
