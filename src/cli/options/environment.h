// The environment that a job gets from its submitter: --export and similar options, and variables
// that the submitting command adds. The controller adds those that depend on the allocation.
#pragma once

#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "cli/options/options.h"

namespace muster::cli {

// "NAME=value" entries in order; each name occurs once.
class JobEnvironment {
 public:
  JobEnvironment() = default;
  explicit JobEnvironment(std::vector<std::string> entries);
  static JobEnvironment of_process();

  void set(std::string_view name, std::string_view value);
  void set_number(std::string_view name, std::uint64_t value);
  void erase(std::string_view name);
  const std::string* find(std::string_view name) const;  // the whole entry, or null
  std::string_view value(std::string_view name) const;   // empty if unset

  const std::vector<std::string>& entries() const { return entries_; }
  std::vector<std::string> take() && { return std::move(entries_); }

 private:
  std::vector<std::string> entries_;
};

// The variables that a list such as "ALL", "NONE", "NIL", "A,B=value", "ALL,C=3" selects. SLURM_*
// is always included.
JobEnvironment exported(const JobEnvironment& own, std::string_view list);
// Whether the list drops a part of the environment, so that the variables of a login are needed.
bool export_needs_login(std::string_view list);

// --export-file: entries separated by NUL bytes, or by newlines if the file has no NUL byte.
std::vector<std::string> parse_export_file(std::string_view bytes);

// Variables that follow from options: SLURM_NTASKS, SLURM_MEM_PER_NODE, ...
void add_option_variables(JobEnvironment& environment, const JobOptions& options);
// Where the job was submitted: SLURM_SUBMIT_DIR, SLURM_SUBMIT_HOST, SLURM_PRIO_PROCESS.
void add_submit_variables(JobEnvironment& environment);

// The whole environment of a batch job, and its umask.
struct BatchEnvironment {
  std::vector<std::string> entries;
  std::uint32_t umask = 022;
  bool get_user_env = false;
};
std::expected<BatchEnvironment, Refusal> batch_environment(const JobOptions& options,
                                                           const JobEnvironment& own);

std::string short_host_name();

}  // namespace muster::cli
