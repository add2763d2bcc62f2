// Splits and joins lists of names.
#include "base/text/name_list.h"

#include <algorithm>
#include <string>

#include "base/text/strings.h"

namespace muster {

std::vector<Text> parse_names(std::string_view text) {
  if (static_cast<std::size_t>(std::ranges::count(text, ',')) >= kMostNames) return {Text(text)};
  std::vector<Text> names;
  for (std::string_view name : split(text, ','))
    if (!trim(name).empty()) names.emplace_back(trim(name));
  return names;
}

const Text& first_of(const NameList& names) {
  static const Text none;
  return names.parsed().empty() ? none : names.parsed().front();
}

bool has_name(const NameList& names, std::string_view name) {
  return std::ranges::any_of(names.parsed(), [&](const Text& each) { return each == name; });
}

NameList as_name_list(const std::vector<Text>& names) {
  std::string text;
  for (const Text& name : names) text.append(text.empty() ? "" : ",").append(name.view());
  return text;
}

}  // namespace muster
