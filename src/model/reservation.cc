// Who may use a reservation, and the names of its flags.
#include "model/reservation.h"

#include <algorithm>
#include <array>

#include "base/text/duration.h"
#include "base/text/strings.h"

namespace muster {

namespace {

bool lists(const std::vector<Text>& names, std::string_view name) {
  return std::ranges::any_of(names, [&](const Text& n) { return n.view() == name; });
}

bool denies(const std::vector<Text>& names) {
  return !names.empty() && names.front().view().starts_with('-');
}

// An empty list admits everyone.
bool lets_in(const std::vector<Text>& names, const Text& name) {
  if (names.empty()) return true;
  return denies(names) ? !lists(names, "-" + name.str()) : lists(names, name.view());
}

struct FlagWord {
  std::string_view word, flag;
  std::size_t least;  // the fewest letters that identify it
};
// An abbreviation means the first word that begins with it.
constexpr auto kFlagWords = std::to_array<FlagWord>({
    {"MAINT", "MAINT", 3},
    {"MAGNETIC", "MAGNETIC", 3},
    {"FLEX", "FLEX", 1},
    {"FIRST_CORES", "FIRST_CORES", 2},
    {"OVERLAP", "OVERLAP", 1},
    {"IGNORE_JOBS", "IGNORE_JOBS", 1},
    {"HOURLY", "HOURLY", 1},
    {"DAILY", "DAILY", 1},
    {"WEEKDAY", "WEEKDAY", 1},
    {"WEEKEND", "WEEKEND", 5},
    {"WEEKLY", "WEEKLY", 5},
    {"ANY_NODES", "ANY_NODES", 1},
    {"LICENSE_ONLY", "ANY_NODES", 1},
    {"STATIC_ALLOC", "STATIC", 1},
    {"PART_NODES", "PART_NODES", 2},
    {"PURGE_COMP", "PURGE_COMP", 2},
    {"TIME_FLOAT", "TIME_FLOAT", 1},
    {"REPLACE", "REPLACE", 1},
    {"REPLACE_DOWN", "REPLACE_DOWN", 8},
    {"NO_HOLD_JOBS_AFTER_END", "NO_HOLD_JOBS_AFTER_END", 1},
});

constexpr auto kShown = std::to_array<std::string_view>(
    {"MAINT",      "FLEX",      "OVERLAP",      "IGNORE_JOBS", "HOURLY",
     "DAILY",      "WEEKDAY",   "WEEKEND",      "WEEKLY",      "SPEC_NODES",
     "ALL_NODES",  "ANY_NODES", "STATIC",       "PART_NODES",  "FIRST_CORES",
     "TIME_FLOAT", "REPLACE",   "REPLACE_DOWN", "PURGE_COMP",  "NO_HOLD_JOBS_AFTER_END",
     "MAGNETIC"});

bool shares(const Reservation& r) { return r.has("MAINT") || r.has("OVERLAP"); }

}  // namespace

bool Reservation::has(std::string_view flag) const { return lists(flags, flag); }

bool Reservation::holds_node(NodeId node) const {
  return std::binary_search(nodes.begin(), nodes.end(), node);
}

const IdSet* Reservation::cpus_on(NodeId node) const {
  if (cpus.empty()) return nullptr;
  auto at = std::lower_bound(nodes.begin(), nodes.end(), node);
  return &cpus[static_cast<std::size_t>(at - nodes.begin())];
}

bool Reservation::admits(const Text& user, const Text& account) const {
  const bool in_group = groups.empty() || lists(group_members, user.view());
  return in_group && lets_in(users, user) && lets_in(accounts, account);
}

bool Reservation::reaches_into(Time from, Time until) const {
  if (has("TIME_FLOAT")) return from + float_by < until;
  return start < until && from < end;
}

std::optional<std::string_view> reservation_flag(std::string_view text) {
  std::string_view word = text.substr(0, text.find('='));
  for (const FlagWord& f : kFlagWords)
    if (word.size() >= f.least && istarts_with(f.word, word)) return f.flag;
  return std::nullopt;
}

std::string flags_text(const Reservation& r) {
  std::string text;
  for (std::string_view flag : kShown) {
    if (!r.has(flag)) continue;
    text.append(text.empty() ? "" : ",").append(flag);
    if (flag == "PURGE_COMP") text += "=" + format_elapsed(r.purge_after);
  }
  return text;
}

bool may_overlap(const Reservation& a, const Reservation& b) { return shares(a) || shares(b); }

}  // namespace muster
