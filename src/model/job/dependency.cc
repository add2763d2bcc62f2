// Parses --dependency.
#include "model/job/dependency.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "base/text/idset.h"
#include "base/text/strings.h"

namespace muster {

namespace {

constexpr std::uint32_t kHighestTask = 0xfffffff0u;

struct KindName {
  std::string_view name;
  DependencyKind kind;
};
constexpr KindName kKinds[] = {
    {"after", DependencyKind::after},
    {"afterany", DependencyKind::after_any},
    {"afterok", DependencyKind::after_ok},
    {"afternotok", DependencyKind::after_not_ok},
    {"aftercorr", DependencyKind::after_corr},
    {"afterburstbuffer", DependencyKind::after_burst_buffer},
    {"singleton", DependencyKind::singleton},
};

const KindName* find_kind(std::string_view name) {
  auto at = std::ranges::find_if(kKinds, [&](const KindName& k) { return iequals(k.name, name); });
  return at == std::end(kKinds) ? nullptr : at;
}

// Splits at commas and question marks, but not within "12_[1,3]".
std::vector<std::string_view> split_conditions(std::string_view text) {
  std::vector<std::string_view> parts;
  std::size_t begin = 0;
  bool bracket = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '[' || text[i] == ']') bracket = text[i] == '[';
    if (bracket || (text[i] != ',' && text[i] != '?')) continue;
    parts.push_back(text.substr(begin, i - begin));
    begin = i + 1;
  }
  parts.push_back(text.substr(begin));
  return parts;
}

// "12", "12+5", "12_3", "12_[1-3]", "12_*"
bool add_jobs(DependencyKind kind, std::string_view text, std::vector<Condition>& out) {
  Condition c{.kind = kind};
  if (auto plus = text.find('+'); plus != text.npos) {
    auto minutes = parse_number<std::uint32_t>(text.substr(plus + 1));
    if (!minutes || *minutes == 0) return false;
    c.delay = Minutes{*minutes};
    text = text.substr(0, plus);
  }
  std::optional<std::string_view> tasks;
  if (auto line = text.find('_'); line != text.npos) {
    tasks = text.substr(line + 1);
    text = text.substr(0, line);
  }
  auto id = parse_number<std::uint32_t>(text);
  if (!id || *id == 0) return false;
  c.job = JobId{*id};
  if (!tasks || *tasks == "*") return out.push_back(c), true;
  bool several = tasks->size() > 2 && tasks->front() == '[' && tasks->back() == ']';
  if (!several && !parse_number<std::uint32_t>(*tasks)) return false;
  auto set = IdSet::parse(several ? tasks->substr(1, tasks->size() - 2) : *tasks, kHighestTask,
                          kMostConditions);
  if (!set || out.size() + set->size() > kMostConditions) return false;
  set->each([&](std::uint32_t task) { c.task = task, out.push_back(c); });
  return true;
}

bool add_condition(std::string_view part, std::vector<Condition>& out) {
  auto words = split(part, ':');
  const KindName* kind = find_kind(words[0]);
  if (!kind) return words.size() == 1 && add_jobs(DependencyKind::after_any, part, out);
  if (kind->kind == DependencyKind::singleton)
    return words.size() == 1 && (out.push_back({.kind = kind->kind}), true);
  return words.size() > 1 && std::ranges::all_of(words.begin() + 1, words.end(), [&](auto word) {
           return add_jobs(kind->kind, word, out);
         });
}

}  // namespace

std::string_view dependency_name(DependencyKind kind) {
  return std::ranges::find(kKinds, kind, &KindName::kind)->name;
}

Parsed<Dependencies> parse_dependencies(std::string_view text) {
  if (text == "0") return Dependencies{};  // no dependencies
  if (istarts_with(text, "expand:")) return std::unexpected(ErrorCode::unsupported);
  Dependencies result;
  result.any = text.find('?') != text.npos;
  std::vector<Condition> conditions;
  for (std::string_view part : split_conditions(text))
    if (!add_condition(part, conditions) || conditions.size() > kMostConditions)
      return std::unexpected(ErrorCode::dependency);
  std::set<Condition> seen;
  for (const Condition& c : conditions)
    if (seen.insert(c).second) result.conditions.push_back(c);
  return result;
}

}  // namespace muster
