// Reads the text of --array.
#include "controller/submit/array_request.h"

#include "base/text/strings.h"

namespace muster::controller {

namespace {

// The number at the beginning of the text; what follows it is ignored.
std::uint32_t leading_number(std::string_view text) {
  return parse_number<std::uint32_t>(text.substr(0, text.find_first_not_of("0123456789")))
      .value_or(0);
}

}  // namespace

Result<ArrayRequest> parse_array(std::string_view text, const Settings& settings) {
  const std::uint32_t max_size = settings.max_array_size;
  ArrayRequest array;
  if (auto percent = text.find('%'); percent != text.npos) {
    array.limit = leading_number(text.substr(percent + 1));
    text = text.substr(0, percent);
  }
  if (text.starts_with('[')) text.remove_prefix(1);
  if (text.ends_with(']')) text.remove_suffix(1);
  std::uint64_t strided = 0;  // tasks of "0-1000:2", which are listed one by one
  for (std::string_view part : split(text, ',')) {
    if (part.empty()) continue;
    part.remove_prefix(std::min(part.find_first_not_of(' '), part.size()));
    const bool has_stride = part.contains(':');
    auto tasks = IdSet::parse(part, max_size == 0 ? 0 : max_size - 1, max_size);
    if (!tasks || (has_stride && !part.contains('-'))) return fail(ErrorCode::invalid_array);
    if (has_stride) strided += tasks->size();
    if (strided > 2 * std::uint64_t{max_size}) return fail(ErrorCode::invalid_array);
    array.tasks.merge(*tasks);
  }
  if (array.tasks.empty() || max_size == 0) return fail(ErrorCode::invalid_array);
  if (settings.max_array_tasks > 0 && array.tasks.size() > settings.max_array_tasks)
    return fail(ErrorCode::invalid_array);
  return array;
}

}  // namespace muster::controller
