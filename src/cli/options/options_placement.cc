// Options about where on the machines a job is placed.
#include "base/text/duration.h"
#include "base/text/strings.h"
#include "cli/options/options_values.h"

namespace muster::cli {

Outcome gres_flags(JobOptions& o, const OptionRow& row, std::string_view value) {
  if (!iequals(value, "enforce-binding") && !iequals(value, "disable-binding"))
    return invalid_specification(o, row);
  o.spec.enforce_binding = iequals(value, "enforce-binding");
  o.spec.disable_binding = !o.spec.enforce_binding;
  return {};
}

// A list without names differs from no list: the request gets an empty list.
Outcome partition_names(JobOptions& o, const OptionRow&, std::string_view value) {
  o.spec.partition = value.empty() ? "," : value;
  return {};
}

Outcome switches(JobOptions& o, const OptionRow& row, std::string_view value) {
  auto at = value.find('@');
  std::string_view number = value.substr(0, at);
  auto count = parse_number<std::uint32_t>(number);
  if (!count || *count == 0) return invalid_number(o, row, number);
  o.spec.switches = *count;
  if (at == value.npos) return {};
  auto wait = parse_duration(value.substr(at + 1));
  if (!wait) return invalid_specification(o, row);
  o.spec.switches_wait = *wait;
  return {};
}

}  // namespace muster::cli
