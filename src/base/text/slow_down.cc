// The time to wait is written into the error's detail, which users may see.
#include "base/text/slow_down.h"

#include <string_view>

#include "base/text/strings.h"

namespace muster {

namespace {
constexpr std::string_view kBefore = "again in ", kAfter = " ms";
constexpr Millis kUnknown{1000};
}  // namespace

Error slow_down(Millis wait) {
  return {ErrorCode::slow_down,
          std::string(kBefore) + std::to_string(wait.count()) + std::string(kAfter)};
}

std::optional<Millis> wait_asked_by(const Error& error) {
  if (error.code != ErrorCode::slow_down) return std::nullopt;
  std::string_view text = error.detail;
  if (!text.starts_with(kBefore) || !text.ends_with(kAfter)) return kUnknown;
  text.remove_prefix(kBefore.size());
  text.remove_suffix(kAfter.size());
  const auto ms = parse_number<std::uint32_t>(text);
  return ms ? Millis{*ms} : kUnknown;
}

}  // namespace muster
