// Reads traces in the Standard Workload Format.
#include "sim/replay/swf.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "base/text/strings.h"

namespace muster::sim {

namespace {

constexpr std::size_t kFields = 18;
enum Field : std::size_t { kJob, kSubmit, kWait, kRun, kUsed, kCpu, kMemory, kAsked, kLimit };
constexpr std::size_t kUser = 11;

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  for (std::size_t at = 0; at < line.size();) {
    const std::size_t begin = line.find_first_not_of(" \t\r", at);
    if (begin == line.npos) break;
    at = std::min(line.find_first_of(" \t\r", begin), line.size());
    words.push_back(line.substr(begin, at - begin));
  }
  return words;
}

// Some traces have fractions of seconds.
std::optional<std::int64_t> whole_number(std::string_view word) {
  return parse_number<std::int64_t>(word.substr(0, word.find('.')));
}

Result<std::optional<TraceJob>> parse_line(std::string_view line, std::size_t number) {
  const auto words = words_of(line.substr(0, line.find(';')));
  if (words.empty()) return std::nullopt;
  if (words.size() != kFields)
    return fail(fmt::format("line {}: {} numbers instead of {}", number, words.size(), kFields));
  std::array<std::int64_t, kFields> values{};
  for (std::size_t i = 0; i < kFields; ++i) {
    auto value = whole_number(words[i]);
    if (!value) return fail(fmt::format("line {}: '{}' is not a number", number, words[i]));
    values[i] = *value;
  }
  if (values[kSubmit] < 0) return fail(fmt::format("line {}: submitted before the start", number));
  const std::int64_t cpus = values[kAsked] > 0 ? values[kAsked] : values[kUsed];
  if (values[kRun] < 0 || cpus <= 0) return std::nullopt;
  TraceJob job{.id = static_cast<std::uint32_t>(values[kJob]),
               .submitted = Seconds{values[kSubmit]},
               .runs = Seconds{values[kRun]},
               .limit = Seconds{values[kLimit] > 0 ? values[kLimit] : values[kRun]},
               .cpus = static_cast<std::uint32_t>(cpus),
               .user = static_cast<std::uint32_t>(std::max<std::int64_t>(values[kUser], 0))};
  job.limit = std::max(job.limit, Seconds{1});
  job.runs = std::min(job.runs, job.limit);
  return job;
}

}  // namespace

Result<std::vector<TraceJob>> parse_swf(std::string_view text) {
  std::vector<TraceJob> jobs;
  std::size_t number = 0;
  for (std::string_view line : split(text, '\n')) {
    auto job = parse_line(line, ++number);
    if (!job) return std::unexpected(job.error());
    if (*job) jobs.push_back(**job);
  }
  std::ranges::stable_sort(jobs, {}, &TraceJob::submitted);
  return jobs;
}

}  // namespace muster::sim
