#include "postoffice/binding.h"

#include "ps/base.h"

namespace ps {
namespace {

thread_local Postoffice* bound = nullptr;
thread_local bool runs_inline_handle = false;
thread_local bool receives_for_caller = false;

}  // namespace

Postoffice* BoundPostoffice() { return bound; }

bool RunsInlineHandle() { return runs_inline_handle; }

void SetRunsInlineHandle(bool runs) { runs_inline_handle = runs; }

bool ReceivesForCaller() { return receives_for_caller; }

void SetReceivesForCaller(bool receives) { receives_for_caller = receives; }

void BindThread(Postoffice* postoffice) {
  bound = postoffice;
  SetThreadVerbosity(postoffice == nullptr ? 0 : postoffice->verbose());
}

ScopedPostoffice::ScopedPostoffice(Postoffice* postoffice)
    : previous_(bound), previous_verbosity_(ThreadVerbosity()) {
  BindThread(postoffice);
}

ScopedPostoffice::~ScopedPostoffice() {
  bound = previous_;
  SetThreadVerbosity(previous_verbosity_);
}

}  // namespace ps
