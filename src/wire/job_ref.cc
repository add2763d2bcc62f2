// Job ids as users write them: "12", "12_3", "12_[1-4,7%2]", "12_*", "12.0", "12_3.batch", "12+0".
#include "wire/job_ref.h"

#include <fmt/format.h>

#include "base/text/strings.h"
#include "model/job/step.h"

namespace muster::wire {

namespace {

std::unexpected<Error> invalid(std::string_view text) {
  return fail(ErrorCode::invalid_job_id, std::string(text));
}

std::optional<StepId> parse_step(std::string_view text) {
  if (iequals(text, "batch")) return kBatchStep;
  if (iequals(text, "extern")) return kExternStep;
  if (iequals(text, "interactive")) return kInteractiveStep;
  auto number = parse_number<std::uint32_t>(text);
  if (!number || !is_numbered(StepId{*number})) return std::nullopt;
  return StepId{*number};
}

std::optional<IdSet> parse_tasks(std::string_view text) {
  if (!text.starts_with('[')) {
    auto task = parse_number<std::uint32_t>(text);
    if (!task) return std::nullopt;
    return IdSet::parse(text);
  }
  if (!text.ends_with(']')) return std::nullopt;
  text = text.substr(1, text.size() - 2);
  return IdSet::parse(text.substr(0, text.find('%')));  // as squeue prints it
}

}  // namespace

Result<JobRef> parse_job_ref(std::string_view text) {
  std::string_view rest = trim(text);
  JobRef ref;
  if (auto dot = rest.find('.'); dot != rest.npos) {
    ref.step = parse_step(rest.substr(dot + 1));
    if (!ref.step) return invalid(text);
    rest = rest.substr(0, dot);
  }
  if (auto underscore = rest.find('_'); underscore != rest.npos) {
    std::string_view tasks = rest.substr(underscore + 1);
    rest = rest.substr(0, underscore);
    if (tasks != "*") {
      auto parsed = parse_tasks(tasks);
      if (!parsed) return invalid(text);
      ref.tasks = std::move(*parsed);
    }
  }
  if (auto plus = rest.find('+'); plus != rest.npos) {
    ref.component = parse_number<std::uint32_t>(rest.substr(plus + 1));
    if (!ref.component || !ref.tasks.empty()) return invalid(text);
    rest = rest.substr(0, plus);
  }
  auto id = parse_number<std::uint32_t>(rest);
  if (!id || *id == 0) return invalid(text);
  ref.job = JobId{*id};
  return ref;
}

std::string job_ref_text(const JobRef& ref) {
  std::string out = std::to_string(ref.job.value);
  if (ref.tasks.size() == 1)
    out += fmt::format("_{}", ref.tasks.min());
  else if (!ref.tasks.empty())
    out += fmt::format("_[{}]", ref.tasks.text());
  if (ref.component) out += fmt::format("+{}", *ref.component);
  if (ref.step) out += "." + step_name(*ref.step);
  return out;
}

}  // namespace muster::wire
