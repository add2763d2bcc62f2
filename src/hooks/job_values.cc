// Keeps fields that say the same in step.
#include "hooks/job_values.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text/string_block.h"

namespace muster::hooks {

namespace {

// Two names of one thing.
constexpr std::pair<std::string_view, std::string_view> kTwins[] = {
    {"gres", "tres_per_node"},
    {"shared", "oversubscribe"},
    {"ntasks_per_gpu", "ntasks_per_tres"},
};

}  // namespace

JobValues::JobValues(const wire::HookPart& part, bool in_update)
    : in_update_(in_update), argv_(part.argv) {
  for (const wire::HookField& field : part.given) values_[field.name] = field;
  if (!part.environment) return;
  environment_.emplace();
  for (std::string_view entry : StringBlock(*part.environment)) {
    const auto equals = entry.find('=');
    if (equals != entry.npos)
      environment_->try_emplace(std::string(entry.substr(0, equals)), entry.substr(equals + 1));
  }
}

std::optional<wire::HookField> JobValues::read(std::string_view name) const {
  if (auto found = values_.find(name); found != values_.end()) return found->second;
  const wire::HookFieldRow* row = wire::find_hook_field(name);
  if (!row || !row->unset(in_update_)) return std::nullopt;
  return wire::HookField{std::string(name), {}, row->unset(in_update_)};
}

Result<void> JobValues::set(wire::HookField field) {
  const wire::HookFieldRow* row = wire::find_hook_field(field.name);
  if (!row) return fail(fmt::format("unrecognized field: {}", field.name));
  if (!row->is_settable) return fail(fmt::format("{} cannot be set", field.name));
  if (row->is_number != field.number.has_value())
    return fail(fmt::format("{} is a {}", field.name, row->is_number ? "number" : "text"));
  follow(field);
  forget(field.name);
  set_.push_back(field.name);
  values_[field.name] = std::move(field);
  return {};
}

void JobValues::forget(std::string_view name) {
  std::erase(set_, name);
  if (auto found = values_.find(name); found != values_.end()) values_.erase(found);
}

void JobValues::follow(const wire::HookField& field) {
  for (const auto& [one, other] : kTwins) {
    if (field.name != one && field.name != other) continue;
    const std::string twin(field.name == one ? other : one);
    forget(twin);
    values_[twin] = {twin, field.text, field.number};
  }
  if (field.name != "pn_min_memory" && field.name != "min_mem_per_node" &&
      field.name != "min_mem_per_cpu")
    return;
  for (std::string_view name : {"pn_min_memory", "min_mem_per_node", "min_mem_per_cpu"})
    forget(name);
  if (wire::says_unset(field)) return;
  const bool per_cpu = field.name == "min_mem_per_cpu" ||
                       (field.name == "pn_min_memory" && (*field.number & wire::kMemoryPerCpu));
  const std::uint64_t amount = *field.number & ~wire::kMemoryPerCpu;
  const std::string name = per_cpu ? "min_mem_per_cpu" : "min_mem_per_node";
  values_[name] = {name, {}, amount};
  values_["pn_min_memory"] = {"pn_min_memory", {}, per_cpu ? amount | wire::kMemoryPerCpu : amount};
}

void JobValues::set_variable(const std::string& name, std::optional<std::string> value) {
  if (value)
    (*environment_)[name] = *value;
  else
    environment_->erase(name);
  set_variables_[name] = std::move(value);
}

std::vector<std::string> JobValues::given() const {
  std::vector<std::string> names;
  for (const auto& [name, field] : values_) names.push_back(name);
  return names;
}

wire::HookChanges JobValues::changes() const {
  wire::HookChanges changes;
  for (const std::string& name : set_) changes.set.push_back(values_.at(name));
  for (const auto& [name, value] : set_variables_) changes.environment.push_back({name, value});
  return changes;
}

}  // namespace muster::hooks
