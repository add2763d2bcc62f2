// Checks values of each type, and prints them.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/text/duration.h"
#include "base/text/size.h"
#include "base/text/strings.h"
#include "config/keys/keys.h"
#include "config/keys/put.h"

namespace muster::config {

namespace {

constexpr std::array<std::string_view, 10> kLevels{"quiet", "fatal",  "error",  "info",   "verbose",
                                                   "debug", "debug2", "debug3", "debug4", "debug5"};

bool is_infinite(std::string_view text) {
  return iequals(text, "INFINITE") || iequals(text, "UNLIMITED") || text == "-1";
}

bool is_number(std::string_view text) { return parse_number<std::uint32_t>(text).has_value(); }

bool is_port(std::string_view text) {
  auto port = parse_number<std::uint32_t>(text);
  return port && *port <= 65535;
}

bool is_port_range(std::string_view text) {
  auto dash = text.find('-');
  if (dash == text.npos || !is_port(text.substr(0, dash)) || !is_port(text.substr(dash + 1)))
    return false;
  return *parse_number<int>(text.substr(0, dash)) <= *parse_number<int>(text.substr(dash + 1));
}

std::string_view bare_choice(std::string_view choice) {
  return choice.starts_with('-') ? choice.substr(1) : choice;
}

bool is_choice(const Type& type, std::string_view text) {
  return std::ranges::any_of(split(type.expected, ','), [&](std::string_view choice) {
    return iequals(bare_choice(choice), text);
  });
}

bool are_choices(const Type& type, std::string_view text) {
  return std::ranges::all_of(split(text, ','),
                             [&](std::string_view part) { return is_choice(type, trim(part)); });
}

// Whether any plugin of a kind is accepted.
bool is_any_plugin(const Type& type) { return type.expected.ends_with('/'); }

std::string expected_choices(const Type& type, std::string_view intro) {
  std::string text(intro);
  for (std::string_view choice : split(type.expected, ','))
    text += fmt::format("{}{}", text.size() == intro.size() ? "" : ", ", bare_choice(choice));
  return text;
}

bool is_valid(const Type& type, std::string_view text) {
  switch (type.kind) {
    case Kind::text:
    case Kind::lowercase:
    case Kind::names:
    case Kind::user:
    case Kind::word:
      return true;
    case Kind::hosts:
      return parse_controller_host(text).has_value();
    case Kind::licenses:
      return !text.empty() && parse_licenses(text);
    case Kind::weights:
      return parse_tres_weights(text).has_value();
    case Kind::number:
    case Kind::microseconds:
    case Kind::percent:
    case Kind::rate:
      return is_number(text);
    case Kind::flag:
    case Kind::yes_no:
      return parse_yes_no(text).has_value();
    case Kind::seconds:
    case Kind::minutes:
      return is_number(text) || is_infinite(text);
    case Kind::duration:
      return parse_duration(text).has_value();
    case Kind::memory:
      return parse_mib(text) || is_infinite(text);
    case Kind::ports:
      return is_port_range(text);
    case Kind::port:
      return is_port(text) || is_port_range(text);
    case Kind::level:
      return parse_debug_level(text).has_value();
    case Kind::choice:
      return is_choice(type, text);
    case Kind::choices:
      return are_choices(type, text);
    case Kind::plugins:
      return are_choices(type, text);
    case Kind::plugin:
      if (!is_any_plugin(type)) return is_choice(type, text);
      return istarts_with(text, type.expected) && text.size() > type.expected.size();
    case Kind::daemon:
    case Kind::computed:
      return false;
  }
  return false;
}

std::string expectation(const Type& type) {
  switch (type.kind) {
    case Kind::flag:
    case Kind::yes_no:
      return "YES or NO, or 1 or 0";
    case Kind::seconds:
      return "a number of seconds or INFINITE";
    case Kind::minutes:
      return "a number of minutes or UNLIMITED";
    case Kind::duration:
      return "minutes or days-hours:minutes:seconds";
    case Kind::memory:
      return "a number of megabytes or UNLIMITED";
    case Kind::ports:
      return "a range of ports such as 60001-63000";
    case Kind::hosts:
      return "name or name(address)";
    case Kind::licenses:
      return "name[:count],...";
    case Kind::weights:
      return "weights of resources such as CPU=1000,Mem=2000,GRES/gpu=3000";
    case Kind::port:
      return "a port number up to 65535";
    case Kind::level:
      return "quiet, fatal, error, info, verbose, debug, debug2 ... debug5 or 0-9";
    case Kind::choice:
      return expected_choices(type, "one of ");
    case Kind::choices:
      return expected_choices(type, "a list of ");
    case Kind::plugins:
      return expected_choices(type, "a list of ");
    case Kind::plugin:
      if (!is_any_plugin(type)) return expected_choices(type, "one of ");
      return fmt::format("a name that starts with {}", type.expected);
    default:
      return "a number";
  }
}

// Names of plugins are printed in lower case, other words in upper case, as in the key's own list.
std::string shown_choice(const Type& type, std::string_view text) {
  for (std::string_view choice : split(type.expected, ','))
    if (iequals(text, bare_choice(choice))) return std::string(bare_choice(choice));
  return upper(text);
}

std::string shown_choices(const Type& type, std::string_view text) {
  auto given = split(text, ',');
  std::string out;
  for (std::string_view choice : split(type.expected, ',')) {
    if (choice.starts_with('-')) continue;
    bool has = std::ranges::any_of(
        given, [&](std::string_view part) { return iequals(trim(part), choice); });
    if (has) out += fmt::format("{}{}", out.empty() ? "" : ",", choice);
  }
  return out;
}

std::string shown_user(std::string_view name) {
  if (name == "root" || name == "0") return "root(0)";
  return std::string(name);
}

std::string with_unit(std::string_view text, std::string_view infinite, std::string_view unit) {
  if (is_infinite(text)) return std::string(infinite);
  return fmt::format("{} {}", text, unit);
}

}  // namespace

std::optional<bool> parse_yes_no(std::string_view text) {
  for (std::string_view yes : {"yes", "1", "true", "up"})
    if (iequals(text, yes)) return true;
  for (std::string_view no : {"no", "0", "false", "down"})
    if (iequals(text, no)) return false;
  return std::nullopt;
}

std::optional<std::string_view> parse_debug_level(std::string_view text) {
  if (auto number = parse_number<std::size_t>(text))
    return *number < kLevels.size() ? std::optional(kLevels[*number]) : std::nullopt;
  auto found = std::ranges::find_if(kLevels, [&](auto name) { return iequals(name, text); });
  return found == kLevels.end() ? std::nullopt : std::optional(*found);
}

std::string canonical(const Type& type, std::string_view value) {
  switch (type.kind) {
    case Kind::lowercase:
    case Kind::plugin:
    case Kind::plugins:
      return lower(value);
    case Kind::flag:
      return parse_yes_no(value).value_or(false) ? "1" : "0";
    case Kind::level:
      return std::string(parse_debug_level(value).value_or(value));
    case Kind::choice:
      return shown_choice(type, value);
    default:
      return std::string(value);
  }
}

Result<void> check_value(const Key& key, const Location& at, const Setting& setting) {
  if (is_valid(key.type, setting.value)) return {};
  return bad_value(at, setting, expectation(key.type));
}

bool is_default(const Key& key, std::string_view value) {
  if (key.type.kind == Kind::yes_no) return parse_yes_no(value) == parse_yes_no(key.fallback);
  return iequals(value, key.fallback);
}

std::string shown_value(const Key& key, std::string_view value) {
  const Type& type = key.type;
  if (value.empty() && type.kind == Kind::memory) return "UNLIMITED";
  if (value.empty()) return std::string(key.show ? key.show->unset : "(null)");
  switch (type.kind) {
    case Kind::lowercase:
      return lower(value);
    case Kind::flag:
      return *parse_yes_no(value) ? "1" : "0";
    case Kind::yes_no:
      return *parse_yes_no(value) ? "Yes" : "No";
    case Kind::seconds:
      return with_unit(value, "INFINITE", "sec");
    case Kind::minutes:
      return with_unit(value, "UNLIMITED", "min");
    case Kind::microseconds:
      return fmt::format("{} usec", value);
    case Kind::percent:
      return fmt::format("{} percent", value);
    case Kind::rate:
      return fmt::format("{} nodes/min", value);
    case Kind::duration: {
      auto span = *parse_duration(value);
      return span == Seconds::max() ? "UNLIMITED" : format_elapsed(span);
    }
    case Kind::memory:
      return is_infinite(value) ? "UNLIMITED" : std::to_string(*parse_mib(value));
    case Kind::level:
      return std::string(*parse_debug_level(value));
    case Kind::user:
      return shown_user(value);
    case Kind::choice:
      return shown_choice(type, value);
    case Kind::choices:
      return shown_choices(type, value);
    default:
      return std::string(value);
  }
}

}  // namespace muster::config
