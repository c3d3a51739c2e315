// The flags of a Multiverso program: -name=value.
#ifndef PS_MULTIVERSO_FLAGS_H_
#define PS_MULTIVERSO_FLAGS_H_

#include <string>
#include <type_traits>

// A flag of the program's own, at namespace scope; `MV_CONFIG_name` is its value. Where the name is known
// already with this type, it is that flag; with another type, one of its own that the command line sets too.
#define MV_DEFINE_bool(name, default_value, text) PS_MV_DEFINE_FLAG_(bool, name, default_value, text)
#define MV_DEFINE_int(name, default_value, text) PS_MV_DEFINE_FLAG_(int, name, default_value, text)
#define MV_DEFINE_double(name, default_value, text) PS_MV_DEFINE_FLAG_(double, name, default_value, text)
#define MV_DEFINE_string(name, default_value, text) PS_MV_DEFINE_FLAG_(std::string, name, default_value, text)
#define PS_MV_DEFINE_FLAG_(type, name, default_value, text) \
  const type& MV_CONFIG_##name = ::multiverso::internal::DefineFlag(#name, type(default_value), text)

// One that another source of the program defines.
#define MV_DECLARE_bool(name) extern const bool& MV_CONFIG_##name
#define MV_DECLARE_int(name) extern const int& MV_CONFIG_##name
#define MV_DECLARE_double(name) extern const double& MV_CONFIG_##name
#define MV_DECLARE_string(name) extern const std::string& MV_CONFIG_##name

// The library's own:
//
//   sync=false            tables that are made are BSP: every worker's i-th Get sees what all have
//                         added i times
//   ps_role=default       default (worker and server), worker, server, none; process.h
//   machine_file=         the addresses of all processes, one a line; process.h
//   port=55555            where the first of them is found
//   updater_type=default  rule of the tables that are made: default (adds), sgd, momentum_sgd,
//                         adagrad, dcasgd, dcasgda
//   ma=false              model averaging: no tables, MV_Aggregate alone
//
// Accepted, and without effect: omp_threads=4 (servers use PS_SERVER_THREADS), backup_worker_ratio=0 (as in
// Multiverso), allocator_type=smart and allocator_alignment=16 (memory is the library's matter),
// logtostderr=false (all logs go there).
//
// Flags are read and set by one thread, before the others are started.
namespace multiverso {
namespace internal {

const bool& DefineFlag(const char* name, bool default_value, const char* text);
const int& DefineFlag(const char* name, int default_value, const char* text);
const double& DefineFlag(const char* name, double default_value, const char* text);
const std::string& DefineFlag(const char* name, const std::string& default_value, const char* text);

void SetFlag(const std::string& name, bool value);
void SetFlag(const std::string& name, int value);
void SetFlag(const std::string& name, double value);
void SetFlag(const std::string& name, const std::string& value);

// All have their defaults again, and none counts as set. For tests.
void ResetFlags();
// Whether the command line or a program has set it, be it to its default.
bool IsFlagSet(const std::string& name);

}  // namespace internal

// Sets flags from arguments of the form -name=value, where the name is known, and takes them out of argv (and
// *argc); all else stays, whatever it looks like. Booleans are true, false, 1 or 0, numbers are read whole.
// Throws ps::Error for a value that is none, naming flag, value and what there is; argv is unchanged then.
void ParseCMDFlags(int* argc, char* argv[]);

// Throws ps::Error: a name that is not known, with those that are, or one whose flag is of another type.
template <typename T>
void MV_SetFlag(const std::string& name, const T& value) {
  if constexpr (std::is_same_v<T, bool> || std::is_same_v<T, int> || std::is_same_v<T, double>) {
    internal::SetFlag(name, value);
  } else {
    internal::SetFlag(name, std::string(value));
  }
}
// Its older name.
template <typename T>
void SetCMDFlag(const std::string& name, const T& value) {
  MV_SetFlag(name, value);
}

}  // namespace multiverso

#endif  // PS_MULTIVERSO_FLAGS_H_
