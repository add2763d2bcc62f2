// Converts values to each type of member, and parses values for setters.
#include "config/keys/put.h"

#include <algorithm>
#include <charconv>

#include "base/text/duration.h"
#include "base/text/hostlist.h"
#include "base/text/size.h"
#include "base/text/strings.h"

namespace muster::config {

namespace {

constexpr std::uint32_t kInfinite = 0xffffffff;
constexpr std::uint32_t kMostExitCode = 255, kMostPort = 65535;

std::string_view first_port(std::string_view text) { return text.substr(0, text.find('-')); }

// Text that is no host list counts as one name.
std::vector<Text> names_of(std::string_view list) {
  std::vector<Text> names;
  auto expanded = expand_hostlist(list);
  if (!expanded) return {Text(list)};
  for (const std::string& name : *expanded) names.emplace_back(name);
  return names;
}

std::vector<Text> words_of(std::string_view list) {
  std::vector<Text> words;
  for (std::string_view word : split(list, ','))
    if (!trim(word).empty()) words.emplace_back(trim(word));
  return words;
}

bool is_tres(std::string_view name) {
  constexpr std::string_view kNames[] = {"cpu",     "mem",  "energy", "node",
                                         "billing", "vmem", "pages"};
  constexpr std::string_view kKinds[] = {"fs/", "gres/", "license/", "bb/", "ic/"};
  return std::ranges::find(kNames, name) != std::end(kNames) ||
         std::ranges::any_of(kKinds, [&](std::string_view kind) {
           return name.starts_with(kind) && name.size() > kind.size();
         });
}

}  // namespace

void put(std::string& to, const Type& type, std::string_view value) { to = canonical(type, value); }
void put(Text& to, const Type& type, std::string_view value) { to = canonical(type, value); }

void put(bool& to, const Type& type, std::string_view value) {
  to = type.kind == Kind::word || parse_yes_no(value).value_or(to);
}

void put(std::uint16_t& to, const Type&, std::string_view value) {
  to = parse_number<std::uint16_t>(first_port(value)).value_or(to);
}

void put(std::uint32_t& to, const Type&, std::string_view value) {
  if (!value.empty()) to = parse_number<std::uint32_t>(value).value_or(kInfinite);
}

void put(Seconds& to, const Type& type, std::string_view value) {
  if (value.empty()) return;
  if (type.kind == Kind::duration)
    to = parse_duration(value).value_or(to);
  else
    to = Seconds{parse_number<std::uint32_t>(value).value_or(kInfinite)};
}

void put(Minutes& to, const Type&, std::string_view value) {
  to = parse_time_limit(value).value_or(to);
}

void put(std::optional<std::uint32_t>& to, const Type&, std::string_view value) {
  to = parse_number<std::uint32_t>(value);
}

void put(std::optional<Seconds>& to, const Type&, std::string_view value) {
  to.reset();
  if (auto number = parse_number<std::uint32_t>(value)) to = Seconds{*number};
}

void put(std::optional<std::uint64_t>& to, const Type&, std::string_view value) {
  to = parse_mib(value);
  if (to == 0) to.reset();
}

void put(IdSet& to, const Type& type, std::string_view value) {
  to = IdSet::parse(value, type.kind == Kind::word ? kMostPort : kMostExitCode).value_or(IdSet{});
}

void put(std::vector<Text>& to, const Type& type, std::string_view value) {
  to = type.kind == Kind::names ? names_of(value) : words_of(value);
}

void put(std::vector<std::pair<Text, std::uint32_t>>& to, const Type&, std::string_view value) {
  to = parse_licenses(value).value_or(to);
}

void put(std::vector<std::pair<Text, double>>& to, const Type&, std::string_view value) {
  to = parse_tres_weights(value).value_or(to);
}

std::optional<std::vector<std::pair<Text, std::uint32_t>>> parse_licenses(std::string_view text) {
  std::vector<std::pair<Text, std::uint32_t>> licenses;
  if (text.empty()) return licenses;
  for (std::string_view part : split(text, ',')) {
    const auto mark = part.find_first_of(":*");
    const std::string_view name = trim(part.substr(0, mark));
    const auto count =
        mark == part.npos ? std::optional(1u) : parse_number<std::uint32_t>(part.substr(mark + 1));
    if (name.empty() || !count) return std::nullopt;
    licenses.emplace_back(name, *count);
  }
  return licenses;
}

std::optional<std::vector<std::pair<Text, double>>> parse_tres_weights(std::string_view text) {
  std::vector<std::pair<Text, double>> list;
  if (text.empty()) return list;
  for (std::string_view item : split(text, ',')) {
    const auto equals = item.find('=');
    if (equals == item.npos) return std::nullopt;
    const std::string name = lower(trim(item.substr(0, equals)));
    const std::string_view number = trim(item.substr(equals + 1));
    double weight = 0;
    auto [rest, error] = std::from_chars(number.data(), number.data() + number.size(), weight);
    if (error != std::errc{} || rest != number.data() + number.size() || weight < 0 ||
        !is_tres(name))
      return std::nullopt;
    list.emplace_back(name, weight);
  }
  return list;
}

}  // namespace muster::config
