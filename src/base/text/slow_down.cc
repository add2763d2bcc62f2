// The users see the time to wait in the error's detail, programs take it from wait_ms.
#include "base/text/slow_down.h"

#include <string>

#include "base/saturating.h"

namespace muster {

Error slow_down(Millis wait) {
  return {.code = ErrorCode::slow_down,
          .detail = "again in " + std::to_string(wait.count()) + " ms",
          .wait_ms = saturated_32(static_cast<std::uint64_t>(wait.count()))};
}

std::optional<Millis> wait_asked_by(const Error& error) {
  constexpr Millis kUnknown{1000};
  if (error.code != ErrorCode::slow_down) return std::nullopt;
  return error.wait_ms > 0 ? Millis{error.wait_ms} : kUnknown;
}

}  // namespace muster
