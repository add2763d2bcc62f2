// Parses requests of jobs, and makes the JSON that they read.
#include "node/job_words.h"

#include <fmt/format.h>

#include <vector>

#include "base/text/signals.h"
#include "base/text/strings.h"

namespace muster {

namespace {

constexpr std::uint32_t kMostSeconds = 7 * 86400;
constexpr std::string_view kSuffix = ".json";

std::string json_text(std::string_view text) {
  std::string out = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  }
  return out + '"';
}

}  // namespace

Result<JobWords> parse_job_words(std::string_view line) {
  const std::vector<std::string_view> words = split_words(line);
  using Verb = JobWords::Verb;
  const auto is = [&](std::string_view verb, std::size_t count) {
    return words.size() == count && words[0] == verb;
  };
  if (is("notice", 1)) return JobWords{.verb = Verb::notice};
  if (is("wait", 1)) return JobWords{.verb = Verb::wait};
  if (is("requeue-me", 1)) return JobWords{.verb = Verb::requeue};
  if (is("extend-grace", 2)) {
    auto seconds = parse_number<std::uint32_t>(words[1]);
    if (seconds && *seconds > 0 && *seconds <= kMostSeconds)
      return JobWords{.verb = Verb::extend_grace, .by = Seconds{*seconds}};
    return fail(fmt::format("extend-grace takes from 1 to {} seconds", kMostSeconds));
  }
  return fail("say notice, wait, extend-grace SECONDS or requeue-me");
}

std::string notice_json(AttemptRef attempt, const StopNotice& notice, Time now) {
  if (notice.reason == StopReason::none) return {};
  const auto deadline_ms = (now + notice.left).time_since_epoch().count();
  const std::string when = notice.has_deadline
                               ? fmt::format("{}.{:03}", deadline_ms / 1000, deadline_ms % 1000)
                               : "null";
  return fmt::format(
      R"({{"job_id":{},"run":{},"reason":"{}","signal":{},"deadline":{},"requeue":{},"may_extend":{}}})",
      attempt.job.value, attempt.attempt.value, reason_name(notice.reason),
      notice.signal == 0 ? "null" : json_text("SIG" + signal_name(notice.signal)), when,
      notice.requeue, notice.may_extend.count());
}

std::string notice_answer(std::string_view notice) {
  return fmt::format("{{\"ok\":true,\"notice\":{}}}\n", notice.empty() ? "null" : notice);
}

std::string ask_answer(std::string_view refusal, Seconds granted) {
  if (!refusal.empty()) return fmt::format("{{\"ok\":false,\"error\":{}}}\n", json_text(refusal));
  return fmt::format("{{\"ok\":true,\"granted\":{}}}\n", granted.count());
}

std::string notice_file_name(AttemptRef attempt) {
  return fmt::format("{}.{}{}", attempt.job.value, attempt.attempt.value, kSuffix);
}

std::optional<AttemptRef> parse_notice_file_name(std::string_view name) {
  if (!name.ends_with(kSuffix)) return std::nullopt;
  name.remove_suffix(kSuffix.size());
  const auto parts = split(name, '.');
  if (parts.size() != 2) return std::nullopt;
  auto job = parse_number<std::uint32_t>(parts[0]);
  auto attempt = parse_number<std::uint32_t>(parts[1]);
  if (!job || !attempt) return std::nullopt;
  return AttemptRef{JobId{*job}, Attempt{*attempt}};
}

}  // namespace muster
