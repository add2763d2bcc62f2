// RestartLimits: what --notice, --chunk, --retry and --retry-oom take at most.
#pragma once

#include <cstdint>

namespace muster {

struct RestartLimits {
  static constexpr std::uint32_t kNoticeSeconds = 7 * 86400;
  static constexpr std::uint32_t kPieces = 10000, kUsualPieces = 100;  // if no max= is given
  static constexpr std::uint32_t kRetries = 100;
  static constexpr std::uint32_t kOomPercent = 1000;
};

}  // namespace muster
