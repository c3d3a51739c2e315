#ifndef PS_POSTOFFICE_BINDING_H_
#define PS_POSTOFFICE_BINDING_H_

#include "ps/postoffice.h"

namespace ps {

// The node bound to the calling thread by a ScopedPostoffice; null if there is none.
Postoffice* BoundPostoffice();
// Binds a node to the calling thread until something else is bound.
void BindThread(Postoffice* postoffice);

// Whether the calling thread runs an inline handle: it must not wait for what only it can receive.
bool RunsInlineHandle();
void SetRunsInlineHandle(bool runs);

// Whether the calling thread is a program's that receives while it waits: it may hold the program's locks, so
// it runs no handles.
bool ReceivesForCaller();
void SetReceivesForCaller(bool receives);

}  // namespace ps
#endif  // PS_POSTOFFICE_BINDING_H_
