// Reads the options about stops and new starts. The controller checks their ranges again.
#include <fmt/format.h>

#include "base/text/duration.h"
#include "base/text/strings.h"
#include "cli/options/options_values.h"
#include "model/job/restart_limits.h"

namespace muster::cli {

namespace {

// "90m", "6h", "2d", or a time limit as --time takes it.
std::optional<Minutes> parse_piece(std::string_view text) {
  if (text.empty()) return std::nullopt;
  constexpr std::uint32_t kMost = 1u << 20;
  std::uint32_t minutes = 0;
  switch (text.back()) {
    case 'm':
      minutes = 1;
      break;
    case 'h':
      minutes = 60;
      break;
    case 'd':
      minutes = 1440;
      break;
    default: {
      auto limit = parse_time_limit(text);
      return limit && *limit > Minutes{0} && *limit != kUnlimited ? limit : std::nullopt;
    }
  }
  auto count = parse_number<std::uint32_t>(text.substr(0, text.size() - 1));
  if (!count || *count == 0 || *count > kMost) return std::nullopt;
  return Minutes{*count * minutes};
}

}  // namespace

Outcome notice(JobOptions& o, const OptionRow&, std::string_view value) {
  auto seconds = parse_number<std::uint32_t>(value);
  if (!seconds || *seconds == 0 || *seconds > RestartLimits::kNoticeSeconds)
    return refused(o,
                   fmt::format("Invalid --notice value '{}': seconds from 1 to {}", value,
                               RestartLimits::kNoticeSeconds),
                   kExitBadOption);
  o.spec.notice_s = *seconds;
  return {};
}

Outcome chunk(JobOptions& o, const OptionRow&, std::string_view value) {
  const auto wrong = [&](std::string_view why) {
    return refused(o, fmt::format("Invalid --chunk value '{}': {}", value, why), kExitBadOption);
  };
  const std::size_t comma = value.find(',');
  const auto piece = parse_piece(value.substr(0, comma));
  if (!piece) return wrong("the length of a piece is a time such as 90m, 6h or 1-00:00:00");
  std::uint32_t most = RestartLimits::kUsualPieces;
  if (comma != std::string_view::npos) {
    std::string_view word = value.substr(comma + 1);
    if (!word.starts_with("max=")) return wrong("after the length there may be only max=COUNT");
    auto count = parse_number<std::uint32_t>(word.substr(4));
    if (!count || *count == 0 || *count > RestartLimits::kPieces)
      return wrong(fmt::format("max is a count from 1 to {}", RestartLimits::kPieces));
    most = *count;
  }
  o.spec.chunk = *piece;
  o.spec.chunk_max = most;
  return {};
}

Outcome retry(JobOptions& o, const OptionRow&, std::string_view value) {
  auto count = parse_number<std::uint32_t>(value);
  if (!count || *count > RestartLimits::kRetries)
    return refused(o,
                   fmt::format("Invalid --retry value '{}': a count from 0 to {}", value,
                               RestartLimits::kRetries),
                   kExitBadOption);
  o.spec.retries = *count;
  return {};
}

// "1.5x", "2x", "2": kept in percent.
Outcome retry_oom(JobOptions& o, const OptionRow&, std::string_view value) {
  const auto wrong = [&] {
    return refused(o,
                   fmt::format("Invalid --retry-oom value '{}': a factor such as 1.5x, above 1 and "
                               "at most {}",
                               value, RestartLimits::kOomPercent / 100),
                   kExitBadOption);
  };
  std::string_view text = value;
  if (text.ends_with('x')) text.remove_suffix(1);
  const std::size_t dot = text.find('.');
  std::string_view decimals = dot == std::string_view::npos ? "" : text.substr(dot + 1);
  if (dot != std::string_view::npos && (decimals.empty() || decimals.size() > 2)) return wrong();
  auto whole = parse_number<std::uint32_t>(text.substr(0, dot));
  auto part =
      decimals.empty() ? std::optional<std::uint32_t>{0} : parse_number<std::uint32_t>(decimals);
  if (!whole || !part || *whole > RestartLimits::kOomPercent / 100) return wrong();
  const std::uint32_t percent = *whole * 100 + *part * (decimals.size() == 1 ? 10 : 1);
  if (percent <= 100 || percent > RestartLimits::kOomPercent) return wrong();
  o.spec.retry_oom_percent = percent;
  return {};
}

Outcome check_stopping(JobOptions& o) {
  JobRequest& spec = o.spec;
  if (spec.chunk > Minutes{0}) {
    if (o.is_said("time") && spec.time_limit != spec.chunk)
      return refused(o, "--chunk is the time limit of each piece: leave out --time",
                     kExitBadOption);
    spec.time_limit = spec.chunk;
  }
  const bool comes_back = spec.chunk > Minutes{0} || spec.retries > 0 || spec.retry_oom_percent > 0;
  if (comes_back && spec.requeue == false)
    return refused(o,
                   "--chunk, --retry and --retry-oom start the job again: leave out --no-requeue",
                   kExitBadOption);
  return {};
}

}  // namespace muster::cli
