// Dependency: the jobs that a job waits for (--dependency), as text and parsed. The text is parsed
// once, when it is set or read back. Messages and the journal contain the text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/containers/cow.h"
#include "base/containers/text.h"
#include "base/ids.h"
#include "base/result.h"
#include "base/time.h"

namespace muster {

enum class DependencyKind : std::uint8_t {
  after,
  after_any,
  after_ok,
  after_not_ok,
  after_corr,
  after_burst_buffer,  // treated as after_any, since there are no burst buffers
  singleton,
};
std::string_view dependency_name(DependencyKind kind);  // "afterok"

struct Condition {
  DependencyKind kind = DependencyKind::after_any;
  JobId job;
  std::optional<std::uint32_t> task;
  Minutes delay{};  // after:12+5; ignored for other kinds
  auto operator<=>(const Condition&) const = default;
};

struct Dependencies {
  std::vector<Condition> conditions;
  bool any = false;  // "?": one is enough
  bool operator==(const Dependencies&) const = default;
};

// A hard limit, whatever max_dependencies says (model/job/request_limits.h).
inline constexpr std::size_t kMostConditions = 100'000;

// "afterok:12:13,afterany:14_3", "after:5+10", "singleton", "afterok:1?afternotok:1", "12"
Result<Dependencies> parse_dependencies(std::string_view text);

class Dependency {
 public:
  static constexpr bool kIsText = true;  // for the codec

  Dependency() = default;
  Dependency(std::string_view text);  // NOLINT(google-explicit-constructor): it is a text
  Dependency(const char* text) : Dependency(std::string_view(text)) {}
  Dependency(const std::string& text) : Dependency(std::string_view(text)) {}
  Dependency(const Text& text) : Dependency(text.view()) {}

  bool empty() const { return !kept_; }
  std::string_view view() const { return kept_ ? kept_->text.view() : std::string_view(); }
  operator std::string_view() const { return view(); }
  // No conditions for an empty text and for "0"; an error if the text is malformed.
  const Result<Dependencies>& parsed() const;

  friend bool operator==(const Dependency& a, const Dependency& b) { return a.view() == b.view(); }

 private:
  struct Kept {
    Text text;
    Result<Dependencies> parsed;
  };
  Cow<Kept> kept_;
};

}  // namespace muster
