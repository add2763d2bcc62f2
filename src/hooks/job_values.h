// JobValues: the fields of one job as scripts read and set them. Several scripts in turn see what
// those before them set.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "wire/hook_fields.h"

namespace muster::hooks {

class JobValues {
 public:
  JobValues(const wire::HookPart& part, bool in_update);

  // The value, or the number that stands for none; unset if there is neither.
  std::optional<wire::HookField> read(std::string_view name) const;
  Result<void> set(wire::HookField field);
  const std::vector<std::string>& argv() const { return argv_; }

  bool has_environment() const { return environment_.has_value(); }
  const std::map<std::string, std::string>& environment() const { return *environment_; }
  void set_variable(const std::string& name, std::optional<std::string> value);

  // The names of all fields that are given.
  std::vector<std::string> given() const;
  wire::HookChanges changes() const;

 private:
  void forget(std::string_view name);
  void follow(const wire::HookField& field);

  const bool in_update_;
  std::map<std::string, wire::HookField, std::less<>> values_;
  std::vector<std::string> set_;  // in the order in which they were set last
  std::vector<std::string> argv_;
  std::optional<std::map<std::string, std::string>> environment_;
  std::map<std::string, std::optional<std::string>> set_variables_;
};

}  // namespace muster::hooks
