// ThreadOwn: what the interface keeps for a thread, however late that thread calls.
#ifndef PS_C_API_THREAD_OWN_H_
#define PS_C_API_THREAD_OWN_H_

namespace ps::c_api {

// A value of each thread, by `Tag`. C programs call from functions of atexit and from destructors of
// pthread keys as well, which run when the objects of the thread have been destroyed already: then there is
// none any more. A plain thread_local of a class would be used after its end there.
template <typename T, typename Tag>
T* ThreadOwn() noexcept {
  thread_local bool is_gone = false;  // without a destructor: there as long as the thread's memory
  struct Holder {
    ~Holder() { is_gone = true; }
    T value;
  };
  if (is_gone) return nullptr;
  thread_local Holder holder;
  return &holder.value;
}

}  // namespace ps::c_api

#endif  // PS_C_API_THREAD_OWN_H_
