// A static object that is still usable while other statics are destroyed.
#ifndef PS_BASE_NEVER_DESTROYED_H_
#define PS_BASE_NEVER_DESTROYED_H_

namespace ps {

// Constructs T and never destroys it: for process-wide state that threads and destructors of other
// statics may use until the very end. Only as a function's static variable.
template <typename T>
union NeverDestroyed {
  NeverDestroyed() : value() {}
  ~NeverDestroyed() {}
  NeverDestroyed(const NeverDestroyed&) = delete;
  NeverDestroyed& operator=(const NeverDestroyed&) = delete;

  T value;
};

}  // namespace ps

#endif  // PS_BASE_NEVER_DESTROYED_H_
