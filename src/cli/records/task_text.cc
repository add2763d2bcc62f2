// Writes a set of array tasks as ranges, or with a step: "0-5,7", "0-15:3".
#include "cli/records/task_text.h"

#include <optional>

#include <fmt/format.h>

#include "base/text/strings.h"
#include "cli/tables/ranges.h"

namespace muster::cli {

namespace {

// Up to this many are listed one by one, even if evenly spaced.
constexpr std::size_t kFewTasks = 5;

// The distance of evenly spaced tasks.
std::optional<std::uint32_t> even_step(const IdSet& tasks) {
  const auto& ranges = tasks.ranges();
  if (ranges.size() <= kFewTasks) return std::nullopt;
  std::uint32_t step = ranges[1].first - ranges[0].first;
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    if (ranges[i].first != ranges[i].last) return std::nullopt;
    if (i > 0 && ranges[i].first - ranges[i - 1].first != step) return std::nullopt;
  }
  return step;
}

}  // namespace

std::string task_set_text(const IdSet& tasks, std::uint32_t running_limit, std::size_t limit) {
  std::string text;
  if (auto step = even_step(tasks))
    text = fmt::format("{}-{}:{}", tasks.min(), tasks.max(), *step);
  else
    text = ranges_text(tasks);
  if (limit > 4 && text.size() >= limit) text = text.substr(0, limit - 4) + "...";
  if (running_limit > 0) text += fmt::format("%{}", running_limit);
  return text;
}

}  // namespace muster::cli
