// Named points of the protocol at which a test can end a process, to see what its death does to the others.
//
// PS_TEST_POINT(name) expands to nothing. Only programs of tests/process link a second copy of the sources
// that have points, compiled with PS_TEST_POINTS; libps.a and libps.so contain none of it
// (tests/process/shipped_test.sh). A name is `<what>.<when>`; tests/process/kill_rows.h says which node is
// killed at which, and its test complains about a point that nobody is killed at. `name` may be an
// expression: it is evaluated only in that second copy.
#ifndef PS_BASE_TEST_POINT_H_
#define PS_BASE_TEST_POINT_H_

namespace ps {

// Defined by the test program alone. Called by any thread, also with locks held.
void OnTestPoint(const char* name);

}  // namespace ps

#ifdef PS_TEST_POINTS
#define PS_TEST_POINT(name) ::ps::OnTestPoint(name)
#else
#define PS_TEST_POINT(name) static_cast<void>(0)
#endif

#endif  // PS_BASE_TEST_POINT_H_
