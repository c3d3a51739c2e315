// Which sanitizer watches this build: gcc and clang tell it in different ways.
#ifndef PS_BASE_SANITIZER_H_
#define PS_BASE_SANITIZER_H_

#if defined(__SANITIZE_ADDRESS__)
#define PS_ADDRESS_SANITIZER 1
#endif
#if defined(__SANITIZE_THREAD__)
#define PS_THREAD_SANITIZER 1
#endif

#if defined(__has_feature)
#if __has_feature(address_sanitizer) && !defined(PS_ADDRESS_SANITIZER)
#define PS_ADDRESS_SANITIZER 1
#endif
#if __has_feature(thread_sanitizer) && !defined(PS_THREAD_SANITIZER)
#define PS_THREAD_SANITIZER 1
#endif
#endif

#endif  // PS_BASE_SANITIZER_H_
