#include "config/scheduler_words.h"

#include <algorithm>
#include <cstdint>
#include <limits>

#include <fmt/format.h>

#include "base/text/duration.h"
#include "base/text/strings.h"

namespace muster::config {

namespace {

enum class Takes { nothing, number, duration, rank };

struct SchedulerWord {
  std::string_view name;
  Takes takes = Takes::nothing;
  std::uint64_t least = 0;
  std::uint64_t most = std::numeric_limits<std::uint32_t>::max();
  bool missed = false;  // its effect is not to be had here
};

constexpr SchedulerWord kSchedulerWords[] = {
    {.name = "allow_zero_lic"},
    {.name = "assoc_limit_stop"},
    {.name = "batch_sched_delay", .takes = Takes::number},
    {.name = "bb_array_stage_cnt", .takes = Takes::number},
    {.name = "bf_allow_magnetic_resv", .missed = true},
    {.name = "bf_busy_nodes", .missed = true},
    {.name = "bf_continue"},
    {.name = "bf_hetjob_immediate"},
    {.name = "bf_hetjob_prio", .takes = Takes::rank, .missed = true},
    {.name = "bf_interval", .takes = Takes::number},
    {.name = "bf_job_part_count_reserve", .takes = Takes::number},
    {.name = "bf_licenses"},
    {.name = "bf_max_job_array_resv", .takes = Takes::number},
    {.name = "bf_max_job_assoc", .takes = Takes::number},
    {.name = "bf_max_job_part", .takes = Takes::number},
    {.name = "bf_max_job_start", .takes = Takes::number},
    {.name = "bf_max_job_test", .takes = Takes::number},
    {.name = "bf_max_job_user", .takes = Takes::number},
    {.name = "bf_max_job_user_part", .takes = Takes::number},
    {.name = "bf_max_time", .takes = Takes::number},
    {.name = "bf_min_age_reserve", .takes = Takes::number},
    {.name = "bf_min_prio_reserve", .takes = Takes::number},
    {.name = "bf_node_space_size", .takes = Takes::number},
    {.name = "bf_one_resv_per_job"},
    {.name = "bf_resolution", .takes = Takes::number},
    {.name = "bf_running_job_reserve"},
    {.name = "bf_topopt_enable", .missed = true},
    {.name = "bf_topopt_iterations", .takes = Takes::number, .missed = true},
    {.name = "bf_window", .takes = Takes::number, .least = 1},
    {.name = "bf_window_linear", .takes = Takes::number},
    {.name = "bf_yield_interval", .takes = Takes::number},
    {.name = "bf_yield_sleep", .takes = Takes::number},
    {.name = "build_queue_timeout", .takes = Takes::number, .least = 1},
    {.name = "correspond_after_task_cnt", .takes = Takes::number, .least = 10},
    {.name = "default_queue_depth", .takes = Takes::number},
    {.name = "defer"},
    {.name = "defer_batch"},
    {.name = "delay_boot", .takes = Takes::duration},
    {.name = "disable_hetjob_steps"},
    {.name = "disable_job_shrink"},
    {.name = "enable_hetjob_steps"},
    {.name = "enable_job_state_cache"},
    {.name = "enable_user_top"},
    {.name = "extra_constraints", .missed = true},
    {.name = "Ignore_NUMA"},
    {.name = "ignore_constraint_validation", .missed = true},
    {.name = "ignore_prefer_validation"},
    {.name = "kill_invalid_depend"},
    {.name = "max_array_tasks", .takes = Takes::number},
    {.name = "max_batch_requeue", .takes = Takes::number},
    {.name = "max_depend_depth", .takes = Takes::number},
    {.name = "max_preempt_requeue", .takes = Takes::number},
    {.name = "max_rpc_cnt", .takes = Takes::number},
    {.name = "max_sched_time", .takes = Takes::number, .least = 1},
    {.name = "max_script_size", .takes = Takes::number, .most = 512u << 20},
    {.name = "max_submit_line_size", .takes = Takes::number, .missed = true},
    {.name = "max_switch_wait", .takes = Takes::number},
    {.name = "no_backup_scheduling"},
    {.name = "no_env_cache"},
    {.name = "nohold_on_prolog_fail"},
    {.name = "pack_serial_at_end"},
    {.name = "partition_job_depth", .takes = Takes::number},
    {.name = "preempt_reorder_count", .takes = Takes::number},
    {.name = "preempt_send_user_signal"},
    {.name = "preempt_strict_order"},
    {.name = "preempt_youngest_first"},
    {.name = "reduce_completing_frag"},
    {.name = "requeue_setup_env_fail", .missed = true},
    {.name = "salloc_wait_nodes"},
    {.name = "sbatch_wait_nodes"},
    {.name = "sched_interval", .takes = Takes::number},
    {.name = "sched_max_job_start", .takes = Takes::number},
    {.name = "sched_min_interval", .takes = Takes::number},
    {.name = "spec_cores_first"},
    {.name = "step_retry_count", .takes = Takes::number},
    {.name = "step_retry_time", .takes = Takes::number},
    {.name = "time_min_as_soft_limit", .missed = true},
    {.name = "whole_hetjob"},
    {.name = "whole_pack"},
};

bool is_rank(std::string_view text) {
  return iequals(text, "min") || iequals(text, "avg") || iequals(text, "max");
}

// What the word expects where the text is something else.
std::string expected(const SchedulerWord& word, std::string_view text) {
  switch (word.takes) {
    case Takes::nothing:
      return {};
    case Takes::rank:
      return is_rank(text) ? "" : fmt::format("{}=min, avg or max", word.name);
    case Takes::duration:
      return parse_duration(text) ? "" : fmt::format("{}=minutes", word.name);
    case Takes::number:
      break;
  }
  auto number = parse_number<std::uint64_t>(text);
  if (number && *number >= word.least && *number <= word.most) return {};
  return fmt::format("{}=a number from {} to {}", word.name, word.least, word.most);
}

}  // namespace

Result<std::vector<std::string_view>> check_scheduler_words(const Location& at,
                                                            const Setting& setting) {
  std::vector<std::string_view> missed;
  for (std::string_view part : split(setting.value, ',')) {
    part = trim(part);
    if (part.empty()) continue;
    const auto equals = std::min(part.find('='), part.size());
    const std::string_view name = trim(part.substr(0, equals));
    const auto* word = std::ranges::find_if(
        kSchedulerWords, [&](const SchedulerWord& each) { return iequals(each.name, name); });
    if (word == std::end(kSchedulerWords))
      return invalid(at, fmt::format("{}={}: there is no such word", setting.key, part));
    if (word->missed) missed.push_back(name);
    const std::string_view text = equals < part.size() ? trim(part.substr(equals + 1)) : "";
    if (std::string wanted = expected(*word, text); !wanted.empty())
      return bad_value(at, {setting.key, std::string(part)}, wanted);
  }
  return missed;
}

}  // namespace muster::config
