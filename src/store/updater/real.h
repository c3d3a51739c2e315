// Real: a number as an option of an updater.
#ifndef PS_STORE_UPDATER_REAL_H_
#define PS_STORE_UPDATER_REAL_H_

#include <dmlc/parameter.h>

#include <charconv>
#include <cmath>
#include <istream>
#include <string>
#include <string_view>
#include <system_error>

namespace ps {

// A double that is read exactly: the nearest one to the text, so that what a program printed comes back as it
// was (dmlc's own reader is off by a bit now and then, and takes "-" and "0.1f" for numbers).
struct Real {
  double value = 0;

  Real() = default;
  Real(double number) : value(number) {}     // NOLINT(google-explicit-constructor): is one
  operator double() const { return value; }  // NOLINT(google-explicit-constructor): is one
};

// A finite decimal number that is all of the next word.
inline std::istream& operator>>(std::istream& in, Real& real) {
  std::string word;
  if (!(in >> word)) return in;
  std::string_view text = word;
  if (text.front() == '+') text.remove_prefix(1);
  const char* const end = text.data() + text.size();
  const std::from_chars_result read = std::from_chars(text.data(), end, real.value);
  if (read.ec != std::errc() || read.ptr != end || !std::isfinite(real.value)) in.setstate(std::ios::failbit);
  return in;
}

}  // namespace ps

namespace dmlc {
DMLC_DECLARE_TYPE_NAME(ps::Real, "number");

// Real has a range as numbers have.
template <>
class parameter::FieldEntry<ps::Real>
    : public parameter::FieldEntryNumeric<parameter::FieldEntry<ps::Real>, ps::Real> {};

}  // namespace dmlc

#endif  // PS_STORE_UPDATER_REAL_H_
