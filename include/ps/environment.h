// Environment: named settings, from a map a program hands in and from the process environment.
#ifndef PS_ENVIRONMENT_H_
#define PS_ENVIRONMENT_H_

#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace ps {

// Entries of the map win over the process environment; every name is served, also a program's own.
// Thread-safe. The process has one (Get); tests and in-process clusters make their own.
class Environment {
 public:
  using Map = std::unordered_map<std::string, std::string>;

  // kMapOnly sees nothing of the process around it, and Publish stays inside it.
  enum class Fallback { kProcess, kMapOnly };

  explicit Environment(Map entries = {}, Fallback fallback = Fallback::kProcess);
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

  // The process's environment. Lives until the process ends.
  static Environment* Get();
  // The same, shared: whoever holds it may use it during static destruction.
  static std::shared_ptr<Environment> _GetSharedRef();  // NOLINT: name fixed by existing programs
  // Replaces the entries of Get() and returns it. May come before everything else.
  static Environment* Init(const Map& entries);

  // The value of `name`, null when it is nowhere. The text stays valid, and stays as it is, until
  // the next Init; changes of the process environment are seen by the next find.
  const char* find(const char* name) const;

  // Tells the program something the library decided, such as its rank: sets `name` if nobody did.
  // Returns whether it did. With kProcess the process environment is what is set.
  bool Publish(const std::string& name, const std::string& value);
  // True while `name` still has the value the library gave it, so that it is never taken for
  // a wish of the user.
  bool IsPublished(const std::string& name) const;

  // The names that are set, in no order.
  std::vector<std::string> Names() const;

 private:
  void Replace(const Map& entries);

  const Fallback fallback_;
  mutable std::mutex mutex_;
  Map entries_;                                // under mutex_
  std::unordered_set<std::string> published_;  // names in entries_ set by Publish; under mutex_
  // Every text find has returned since the last Init, each once. Nodes never move. Under mutex_.
  mutable std::unordered_set<std::string> handed_out_;
};

// The setting `name` of Environment::Get(), or `fallback` when it is unset. V is made of the text:
// with a `const char*` fallback the text itself comes back (valid as `find` says).
template <typename V>
V GetEnv(const char* name, V fallback) {
  const char* text = Environment::Get()->find(name);
  return text == nullptr ? fallback : V(text);
}

// The same for whole numbers. An empty text counts as unset; text that is no number within int
// throws Error with the name and the text.
int GetEnv(const char* name, int fallback);

}  // namespace ps

#endif  // PS_ENVIRONMENT_H_
