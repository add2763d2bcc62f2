// Reads the words of a report. What is wrong is said, and the report is made without it.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/text/calendar.h"
#include "base/text/date.h"
#include "base/text/strings.h"
#include "cli/sacctmgr/words.h"
#include "cli/sreport/session.h"

namespace muster::cli {

namespace {

using Lists = std::vector<Text> ReportLine::*;

struct ListKey {
  std::string_view word;
  std::size_t least = 1;
  Lists list;
};
constexpr std::array kLists{
    ListKey{"Clusters", 1, &ReportLine::clusters},
    ListKey{"Accounts", 2, &ReportLine::accounts},
    ListKey{"Acct", 4, &ReportLine::accounts},
    ListKey{"Users", 1, &ReportLine::users},
    ListKey{"WCKeys", 1, &ReportLine::wckeys},
    ListKey{"Names", 2, &ReportLine::names},
    ListKey{"Nodes", 2, &ReportLine::nodes},
    ListKey{"Partitions", 1, &ReportLine::partitions},
    ListKey{"Jobs", 1, &ReportLine::jobs},
    ListKey{"GID", 2, &ReportLine::gids},
};

using Flag = bool ReportLine::*;
struct FlagKey {
  std::string_view word;
  std::size_t least = 1;
  Flag flag;
};
constexpr std::array kFlags{
    FlagKey{"All_Clusters", 3, &ReportLine::all_clusters},
    FlagKey{"Tree", 4, &ReportLine::tree},
    FlagKey{"Group", 1, &ReportLine::group},
    FlagKey{"FlatView", 2, &ReportLine::flat},
    FlagKey{"AcctAsParent", 5, &ReportLine::accounts_as_parents},
    FlagKey{"PrintJobCount", 2, &ReportLine::counts_jobs},
};

Time rounded(Time t) { return begin_of_hour(t + Minutes{30}); }

struct Reader {
  ReportSession& session;
  ReportType type;
  Time now;
  ReportLine line = {};

  void read(std::string_view text);
  void finish();

 private:
  void set_time(Time& time, std::string_view value);
  void set_sizes(std::string_view value);
  void add(std::vector<Text>& list, std::string_view values);
  std::vector<Text>& bare();
};

// What a word without a key means.
std::vector<Text>& Reader::bare() {
  switch (type) {
    case ReportType::user:
      return line.users;
    case ReportType::job:
      return line.accounts;
    case ReportType::reservation:
      return line.names;
    default:
      return line.clusters;
  }
}

void Reader::set_time(Time& time, std::string_view value) {
  if (value.empty()) return;
  if (auto date = parse_date(value, now, {.past = true})) {
    time = *date;
    return;
  }
  session.fail(fmt::format("Invalid time specification (pos={}): {}\n",
                           date_fault(value, now, {.past = true}), value));
}

void Reader::set_sizes(std::string_view value) {
  if (iequals(value, "individual")) {
    line.each_size = true;
    return;
  }
  std::vector<std::uint64_t> sizes;
  for (std::string_view part : split(value, ',')) {
    auto size = parse_number<std::uint64_t>(part);
    if (!size || *size == 0) return session.fail(fmt::format(" Invalid grouping: {}\n", value));
    sizes.push_back(*size);
  }
  std::ranges::sort(sizes);
  sizes.erase(std::ranges::unique(sizes).begin(), sizes.end());
  line.sizes = std::move(sizes);
}

void Reader::add(std::vector<Text>& list, std::string_view values) {
  for (std::string_view value : split(values, ','))
    if (!value.empty()) list.emplace_back(value);
}

void Reader::read(std::string_view text) {
  const auto equals = text.find('=');
  if (equals == text.npos) {
    for (const FlagKey& key : kFlags)
      if (is_short_for(text, key.word, key.least)) {
        line.*key.flag = true;
        return;
      }
    if (iequals(text, "where") || iequals(text, "and")) return;
    return add(bare(), text);
  }
  const std::string_view key = text.substr(0, equals);
  std::string_view value = text.substr(equals + 1);
  if (value.size() >= 2 && (value.front() == '"' || value.front() == '\'') &&
      value.back() == value.front())
    value = value.substr(1, value.size() - 2);
  for (const ListKey& list : kLists)
    if (is_short_for(key, list.word, list.least)) return add(line.*list.list, value);
  if (is_short_for(key, "Start", 1)) return set_time(line.start, value);
  if (is_short_for(key, "End", 1)) return set_time(line.end, value);
  if (is_short_for(key, "Format", 1)) {
    line.format = line.format.empty() ? std::string(value) : line.format + ',' + std::string(value);
    if (line.format.empty()) line.format = ",";
    return;
  }
  if (is_short_for(key, "Grouping", 2)) return set_sizes(value);
  if (is_short_for(key, "TopCount", 2)) {
    auto count = parse_number<std::size_t>(value);
    if (count && *count > 0)
      line.top_count = *count;
    else
      session.fail(fmt::format("sreport: error: Invalid value for TopCount ({})\n", value));
    return;
  }
  session.fail(fmt::format(" Unknown condition: {}\nUse keyword set to modify value\n", text));
}

// Usage is kept by hours, and only of hours that are over.
void Reader::finish() {
  const Time today = begin_of_day(now), hour = begin_of_hour(now);
  line.start = is_set(line.start) ? rounded(line.start) : begin_of_day(today - Seconds{3600});
  line.end = is_set(line.end) ? rounded(line.end) : today;
  line.end = std::min(line.end, hour);
  if (line.end <= line.start) line.end = line.start + Seconds{3600};
  if (line.all_clusters || session.all_clusters)
    line.clusters.clear();
  else if (line.clusters.empty() && !session.clusters.empty())
    add(line.clusters, session.clusters);
}

}  // namespace

ReportLine read_report_line(ReportSession& session, ReportType type,
                            std::span<const std::string> words, Time now) {
  Reader reader{.session = session, .type = type, .now = now};
  for (const std::string& word : words) reader.read(word);
  reader.finish();
  return std::move(reader.line);
}

bool allows(const std::vector<Text>& wanted, std::string_view name) {
  return wanted.empty() ||
         std::ranges::any_of(wanted, [&](const Text& one) { return iequals(one.view(), name); });
}

}  // namespace muster::cli
