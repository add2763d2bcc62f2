// Parses PreemptMode and OverSubscribe.
#include "model/node/partition.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text/strings.h"

namespace muster {

namespace {

bool has_word(std::string_view list, std::string_view wanted) {
  return std::ranges::any_of(split(list, ','),
                             [&](auto word) { return iequals(trim(word), wanted); });
}

}  // namespace

std::optional<PreemptMode> parse_preempt_mode(std::string_view text) {
  if (trim(text).empty()) return std::nullopt;
  constexpr std::string_view kModes[] = {"OFF", "CANCEL", "REQUEUE", "SUSPEND"};
  std::optional<PreemptMode> mode;
  for (std::string_view word : split(text, ',')) {
    word = trim(word);
    if (iequals(word, "GANG") || iequals(word, "WITHIN")) continue;
    auto found = std::ranges::find_if(kModes, [&](auto name) { return iequals(name, word); });
    if (found == std::end(kModes) || mode) return std::nullopt;
    mode = static_cast<PreemptMode>(found - std::begin(kModes));
  }
  return mode.value_or(PreemptMode::off);
}

bool has_gang(std::string_view preempt_mode) { return has_word(preempt_mode, "GANG"); }
bool has_within(std::string_view preempt_mode) { return has_word(preempt_mode, "WITHIN"); }

std::string OverSubscribe::text() const {
  switch (mode) {
    case Mode::no:
      return "NO";
    case Mode::exclusive:
      return "EXCLUSIVE";
    case Mode::yes:
      return fmt::format("YES:{}", jobs);
    case Mode::force:
      return fmt::format("FORCE:{}", jobs);
  }
  return "NO";
}

std::optional<OverSubscribe> parse_oversubscribe(std::string_view text) {
  using Mode = OverSubscribe::Mode;
  OverSubscribe value;
  if (text.empty() || iequals(text, "NO")) return value;
  if (iequals(text, "EXCLUSIVE")) return OverSubscribe{.mode = Mode::exclusive};
  auto colon = text.find(':');
  std::string_view word = text.substr(0, colon);
  if (!iequals(word, "YES") && !iequals(word, "FORCE")) return std::nullopt;
  value.mode = iequals(word, "YES") ? Mode::yes : Mode::force;
  if (colon == text.npos) return value;
  auto jobs = parse_number<std::uint32_t>(text.substr(colon + 1));
  if (!jobs || *jobs == 0) return std::nullopt;
  value.jobs = *jobs;
  return value;
}

std::uint32_t Partition::sharing(bool asked) const {
  OverSubscribe value = parse_oversubscribe(oversubscribe).value_or(OverSubscribe{});
  bool shares =
      value.mode == OverSubscribe::Mode::force || (value.mode == OverSubscribe::Mode::yes && asked);
  return shares ? value.jobs : 1;
}

}  // namespace muster
