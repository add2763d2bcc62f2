// Parses lists of licenses.
#include "model/job/licenses.h"

#include <optional>

#include "base/text/strings.h"

namespace muster {

Parsed<Licenses> parse_licenses(std::string_view text) {
  Licenses licenses;
  if (text.empty()) return licenses;
  for (std::string_view item : split(text, text.contains(';') ? ';' : ',')) {
    const auto mark = item.find_first_of(":*");
    const std::string_view name = trim(item.substr(0, mark));
    const auto count = mark == item.npos ? std::optional(1u)
                                         : parse_number<std::uint32_t>(trim(item.substr(mark + 1)));
    if (name.empty() || !count || licenses.size() == kMostLicenses)
      return std::unexpected(ErrorCode::invalid_license);
    licenses.emplace_back(name, *count);
  }
  return licenses;
}

const Licenses& licenses_in(const LicenseList& list) {
  static const Licenses none;
  return list.parsed() ? *list.parsed() : none;
}

}  // namespace muster
