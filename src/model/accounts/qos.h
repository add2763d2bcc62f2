// Qos: a quality of service, and the limits on the jobs that use it.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "base/containers/text.h"
#include "base/result.h"
#include "base/time.h"

namespace muster {

// Amounts by the resource's name, ascending by name: "cpu", "mem" (in MiB), "node", "billing",
// "gres/gpu", "gres/gpu:a100", "license/matlab".
using TresAmounts = std::vector<std::pair<Text, std::uint64_t>>;
// "cpu=8,mem=64G,gres/gpu=2": what is not named keeps its amount, -1 is no limit.
Result<void> merge_tres_amounts(TresAmounts& amounts, std::string_view text);
std::optional<std::uint64_t> amount_of(const TresAmounts& amounts, std::string_view name);

// Limits on jobs that are counted together.
struct SharedLimits {
  std::optional<std::uint32_t> jobs, submitted;  // running; running and waiting
  std::optional<std::uint32_t> accruing;         // waiting jobs that gain age
  TresAmounts tres;                              // held by running jobs
  TresAmounts run_minutes;                       // ... times the minutes they have left
  TresAmounts past_minutes;                      // used by ended and running jobs, less decay
  std::optional<Minutes> wall;                   // the time they ran, less decay
  bool operator==(const SharedLimits&) const = default;
  template <class V>
  void fields(V& v) {
    v(1, jobs);
    v(2, submitted);
    v(3, tres);
    v(4, run_minutes);
    v(140, past_minutes);
    v(141, wall);
    v(190, accruing);
  }
};

struct Limits {
  SharedLimits group, per_user, per_account;  // all its jobs; one user's; one account's
  TresAmounts max_per_job, max_per_node, min_per_job;
  TresAmounts max_minutes_per_job;  // a resource times the job's time limit
  std::optional<Minutes> max_wall;
  bool operator==(const Limits&) const = default;
  template <class V>
  void fields(V& v) {
    v(1, group);
    v(2, per_user);
    v(3, per_account);
    v(4, max_per_job);
    v(5, max_per_node);
    v(6, min_per_job);
    v(7, max_minutes_per_job);
    v(8, max_wall);
  }
};

struct Qos {
  Text name, description;
  std::uint32_t priority = 0;
  Limits limits;
  std::vector<Text> preempts;  // the QOS whose jobs its own jobs may preempt
  Text preempt_mode;           // for its own jobs; empty = the cluster's
  std::optional<Seconds> grace_time;
  std::optional<Seconds> exempt_time;  // its jobs run this long before they may be preempted
  bool deny_on_limit = false;          // refuse jobs that can never meet the limits
  bool over_partition = false;         // its limits rank above those of the partition's QOS
  double usage_factor = 1;             // multiplies the usage of its jobs
  bool usage_factor_safe = false;      // ... also when checking whether a job could run to its end
  bool no_decay = false;               // its usage does not decay
  std::optional<double> usage_threshold;  // jobs of users with a lower fair-share factor wait ...
  bool enforce_usage_threshold = false;   // ... if this is set
  std::optional<std::uint32_t> min_priority;  // MinPrioThreshold: lower jobs get no promise
  double limit_factor = 1;                    // multiplies associations' limits for its jobs
  // Its jobs may exceed the MaxNodes, MinNodes or MaxTime of their partitions: its own limits
  // count.
  bool over_max_nodes = false, over_min_nodes = false, over_max_time = false;
  bool needs_reservation = false;  // its jobs have to name one
  bool no_promise = false;         // NoReserve: nothing is kept free for its waiting jobs
  bool operator==(const Qos&) const = default;
  template <class V>
  void fields(V& v) {
    v(1, name);
    v(2, priority);
    v(4, description);
    v(5, limits);
    v(6, preempts);
    v(7, preempt_mode);
    v(8, grace_time);
    v(9, deny_on_limit);
    v(10, over_partition);
    v(140, usage_factor);
    v(141, usage_factor_safe);
    v(142, no_decay);
    v(143, usage_threshold);
    v(144, enforce_usage_threshold);
    v(145, min_priority);
    v(146, limit_factor);
    v(147, exempt_time);
    v(148, over_max_nodes);
    v(149, over_min_nodes);
    v(150, over_max_time);
    v(151, needs_reservation);
    v(152, no_promise);
  }
};

// Sets one key of a line `QoS=name Key=value ...` of slurm.conf or sacctmgr. False if there is no
// such key. If the value is bad, the error says what was expected.
Result<bool> set_qos_value(Qos& qos, std::string_view key, std::string_view value);

// Flags by name, "DenyOnLimit,NoDecay": which are set, and setting or clearing some of them.
std::vector<std::string_view> qos_flags(const Qos& qos);
Result<void> change_qos_flags(Qos& qos, std::string_view words, bool on);
void clear_qos_flags(Qos& qos);

}  // namespace muster
