// Partition: where jobs may run and under which rules.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/containers/text.h"
#include "base/ids.h"
#include "base/time.h"
#include "model/node/billing_weights.h"

namespace muster {

enum class PreemptMode : std::uint8_t { off, cancel, requeue, suspend };
// Parses "OFF", "CANCEL", "REQUEUE", "SUSPEND,GANG"; off if there is only GANG or WITHIN. Unset if
// the text is empty or unknown, or has two modes.
std::optional<PreemptMode> parse_preempt_mode(std::string_view text);
bool has_gang(std::string_view preempt_mode);    // jobs that hold the same CPUs take turns
bool has_within(std::string_view preempt_mode);  // jobs also preempt lower ones of their own QOS

// OverSubscribe= of a partition: whether jobs share CPUs, and how many jobs share one.
struct OverSubscribe {
  enum class Mode : std::uint8_t { no, exclusive, yes, force };
  Mode mode = Mode::no;
  std::uint32_t jobs = 4;
  std::string text() const;  // "NO", "EXCLUSIVE", "YES:4", "FORCE:4"
};
// Unset if the text is malformed; an empty text is NO.
std::optional<OverSubscribe> parse_oversubscribe(std::string_view text);

enum class PartitionState : std::uint8_t { up, down, drain, inactive };

// A partition's settings for power saving; unset = the cluster's.
struct PartitionPower {
  std::optional<Seconds> suspend_time, suspend_timeout, resume_timeout;
  bool stays_on = false;      // SuspendTime=INFINITE
  bool down_on_idle = false;  // PowerDownOnIdle
  bool operator==(const PartitionPower&) const = default;
  template <class V>
  void fields(V& v) {
    v(1, suspend_time);
    v(2, suspend_timeout);
    v(3, resume_timeout);
    v(4, stays_on);
    v(5, down_on_idle);
  }
};

struct Partition {
  Text name;
  Text nodes_text;  // as configured: "n[1-4]", "ALL"
  std::vector<NodeId> nodes;
  bool is_default = false, hidden = false, root_only = false, exclusive_user = false, lln = false,
       disable_root_jobs = false, req_resv = false;
  PartitionState state = PartitionState::up;
  std::optional<Minutes> max_time,
      default_time;  // unset max_time = unlimited; unset default = max_time
  std::uint32_t min_nodes = 0;
  std::optional<std::uint32_t> max_nodes;  // unset = unlimited
  std::optional<std::uint32_t> max_cpus_per_node;
  std::optional<std::uint64_t> default_memory_per_cpu_mib, default_memory_per_node_mib,
      max_memory_per_cpu_mib, max_memory_per_node_mib;
  Text allow_groups, allow_accounts, allow_qos, deny_accounts, deny_qos, allow_alloc_nodes, qos,
      alternate, oversubscribe, preempt_mode, select_type_parameters, job_defaults, cpu_bind;
  BillingWeightList tres_billing_weights;
  std::uint32_t priority_job_factor = 1, priority_tier = 1, grace_time_s = 0;
  std::optional<std::uint32_t> over_time_limit;  // minutes; none = the cluster's
  PartitionPower power;

  // How many jobs may share a CPU. `asked`: the job has --oversubscribe.
  std::uint32_t sharing(bool asked) const;

  // The partition takes no jobs.
  bool is_closed() const {
    return state == PartitionState::drain || state == PartitionState::inactive;
  }
  bool operator==(const Partition&) const = default;
  template <class V>
  void fields(V& v) {
    v(1, name);
    v(2, nodes_text);
    v(3, nodes);
    v(4, is_default);
    v(5, hidden);
    v(6, root_only);
    v(7, exclusive_user);
    v(8, lln);
    v(9, disable_root_jobs);
    v(10, req_resv);
    v(11, state);
    v(12, max_time);
    v(13, default_time);
    v(14, min_nodes);
    v(15, max_nodes);
    v(16, max_cpus_per_node);
    v(17, default_memory_per_cpu_mib);
    v(18, default_memory_per_node_mib);
    v(19, max_memory_per_cpu_mib);
    v(20, max_memory_per_node_mib);
    v(21, allow_groups);
    v(22, allow_accounts);
    v(23, allow_qos);
    v(24, deny_accounts);
    v(25, deny_qos);
    v(26, allow_alloc_nodes);
    v(27, qos);
    v(28, alternate);
    v(29, oversubscribe);
    v(30, preempt_mode);
    v(31, select_type_parameters);
    v(32, job_defaults);
    v(33, tres_billing_weights);
    v(34, priority_job_factor);
    v(35, priority_tier);
    v(36, grace_time_s);
    v(37, over_time_limit);
    v(190, power);
    v(400, cpu_bind);
  }
};

}  // namespace muster
