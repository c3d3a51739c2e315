// Orders in which ranks are given: as a person would sort.
#ifndef PS_BASE_NATURAL_ORDER_H_
#define PS_BASE_NATURAL_ORDER_H_

#include <string_view>

namespace ps {

// Negative, 0 or positive like strcmp, but runs of digits compare as numbers of any length:
// worker-9 before worker-10. Texts that differ in leading zeros only are ordered by length, then by
// bytes, so that 0 means equal.
int NaturalCompare(std::string_view a, std::string_view b);

// The same for hosts: numeric v4 addresses first, then v6, each as numbers; then names, naturally.
int HostCompare(std::string_view a, std::string_view b);

}  // namespace ps

#endif  // PS_BASE_NATURAL_ORDER_H_
