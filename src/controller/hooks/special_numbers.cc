// Numbers of submit scripts with a form of their own: nodes, memory, priority, sharing and others.
#include <algorithm>

#include <fmt/format.h>

#include "controller/hooks/special_fields.h"

namespace muster::controller {

using wire::HookField;
using wire::says_unset;

void get_mail_type(const JobRequest& r, HookField& f) {
  if (r.mail_type != 0) f.number = r.mail_type;
}
Result<void> set_mail_type(JobRequest& r, const HookField& f) {
  if (*f.number > 0xffff && !says_unset(f)) return too_large(f);
  r.mail_type = says_unset(f) ? 0 : static_cast<std::uint32_t>(*f.number);
  return {};
}

void get_min_cpus(const JobRequest& r, HookField& f) {
  const std::uint64_t tasks = std::max(r.num_tasks.value_or(1), std::max(1u, r.min_nodes));
  f.number = tasks * r.cpus_per_task.value_or(1);
}

// --nodes=2 is both limits.
void get_min_nodes(const JobRequest& r, HookField& f) {
  if (r.nodes_given) f.number = r.min_nodes;
}
Result<void> set_min_nodes(JobRequest& r, const HookField& f) {
  if (says_unset(f)) {
    r.nodes_given = false;
    r.min_nodes = 1;
    r.max_nodes = 0;
    return {};
  }
  if (!is_small(f)) return too_large(f);
  r.min_nodes = static_cast<std::uint32_t>(*f.number);
  r.nodes_given = true;
  return {};
}
void get_max_nodes(const JobRequest& r, HookField& f) {
  if (r.nodes_given) f.number = r.max_nodes > 0 ? r.max_nodes : r.min_nodes;
}
Result<void> set_max_nodes(JobRequest& r, const HookField& f) {
  if (!says_unset(f) && !is_small(f)) return too_large(f);
  r.max_nodes = says_unset(f) ? 0 : static_cast<std::uint32_t>(*f.number);
  if (r.max_nodes > 0) r.nodes_given = true;
  return {};
}

void get_memory(const JobRequest& r, HookField& f) {
  if (r.memory_per_node_mib) f.number = *r.memory_per_node_mib;
  if (r.memory_per_cpu_mib) f.number = *r.memory_per_cpu_mib | wire::kMemoryPerCpu;
}
Result<void> set_memory_per_node(JobRequest& r, const HookField& f) {
  r.memory_per_cpu_mib.reset();
  r.memory_per_node_mib.reset();
  r.memory_per_gpu_mib.reset();
  if (!says_unset(f)) r.memory_per_node_mib = *f.number;
  return {};
}
Result<void> set_memory_per_cpu(JobRequest& r, const HookField& f) {
  if (auto ok = set_memory_per_node(r, f); !ok) return ok;
  r.memory_per_cpu_mib = std::exchange(r.memory_per_node_mib, std::nullopt);
  return {};
}
Result<void> set_memory(JobRequest& r, const HookField& f) {
  const bool per_cpu = !says_unset(f) && (*f.number & wire::kMemoryPerCpu) != 0;
  if (!per_cpu) return set_memory_per_node(r, f);
  return set_memory_per_cpu(r, {f.name, {}, *f.number & ~wire::kMemoryPerCpu});
}

void get_nice(const JobRequest& r, HookField& f) {
  if (r.nice != 0)
    f.number = static_cast<std::uint64_t>(static_cast<std::int64_t>(wire::kNiceOffset) + r.nice);
}
Result<void> set_nice(JobRequest& r, const HookField& f) {
  if (!says_unset(f) && *f.number > wire::kInfinite) return too_large(f);
  const auto nice =
      static_cast<std::int64_t>(*f.number) - static_cast<std::int64_t>(wire::kNiceOffset);
  constexpr std::int64_t kMost = 2147483645;
  if (!says_unset(f) && (nice > kMost || nice < -kMost)) return too_large(f);
  r.nice = says_unset(f) ? 0 : static_cast<std::int32_t>(nice);
  return {};
}

// 0 holds the job.
void get_priority(const JobRequest& r, HookField& f) {
  if (r.hold)
    f.number = 0;
  else if (r.priority)
    f.number = *r.priority;
}
Result<void> set_priority(JobRequest& r, const HookField& f) {
  if (!says_unset(f) && !is_small(f)) return too_large(f);
  r.hold = *f.number == 0;
  r.priority.reset();
  if (!r.hold && !says_unset(f)) r.priority = static_cast<std::uint32_t>(*f.number);
  return {};
}

void get_reboot(const JobRequest& r, HookField& f) {
  if (r.reboot) f.number = 1;
}
Result<void> set_reboot(JobRequest& r, const HookField& f) {
  r.reboot = *f.number != 0 && !says_unset(f);
  return {};
}
void get_requeue(const JobRequest& r, HookField& f) {
  if (r.requeue) f.number = *r.requeue ? 1 : 0;
}
Result<void> set_requeue(JobRequest& r, const HookField& f) {
  r.requeue.reset();
  if (!says_unset(f)) r.requeue = *f.number != 0;
  return {};
}

// 0 --exclusive, 1 --oversubscribe, 2 --exclusive=user, 3 --exclusive=mcs
void get_sharing(const JobRequest& r, HookField& f) {
  if (r.exclusive_mcs)
    f.number = 3;
  else if (r.exclusive_user)
    f.number = 2;
  else if (r.oversubscribe)
    f.number = 1;
  else if (r.exclusive)
    f.number = 0;
}
Result<void> set_sharing(JobRequest& r, const HookField& f) {
  if (!says_unset(f) && *f.number > 3) return too_large(f);
  r.exclusive = *f.number == 0;
  r.oversubscribe = *f.number == 1;
  r.exclusive_user = *f.number == 2;
  r.exclusive_mcs = *f.number == 3;
  return {};
}

void get_site_factor(const JobRequest& r, HookField& f) {
  if (r.site_factor != 0)
    f.number =
        static_cast<std::uint64_t>(static_cast<std::int64_t>(wire::kNiceOffset) + r.site_factor);
}
Result<void> set_site_factor(JobRequest& r, const HookField& f) {
  JobRequest other;
  if (auto ok = set_nice(other, f); !ok) return ok;
  r.site_factor = other.nice;
  return {};
}

void get_std_in(const JobRequest& r, HookField& f) {
  if (!r.std_in.empty())
    f.text = r.std_in.str();
  else if (r.kind == JobKind::batch)
    f.text = "/dev/null";
}
Result<void> set_std_in(JobRequest& r, const HookField& f) {
  r.std_in = f.text.value_or("");
  return {};
}

void get_switches(const JobRequest& r, HookField& f) {
  if (r.switches != 0) f.number = r.switches;
}
Result<void> set_switches(JobRequest& r, const HookField& f) {
  if (!says_unset(f) && !is_small(f)) return too_large(f);
  r.switches = says_unset(f) ? 0 : static_cast<std::uint32_t>(*f.number);
  return {};
}
void get_switches_wait(const JobRequest& r, HookField& f) {
  if (r.switches_wait) f.number = static_cast<std::uint64_t>(r.switches_wait->count());
}
Result<void> set_switches_wait(JobRequest& r, const HookField& f) {
  r.switches_wait.reset();
  if (says_unset(f)) return {};
  if (!is_small(f)) return too_large(f);
  r.switches_wait = Seconds{static_cast<std::int64_t>(*f.number)};
  return {};
}

}  // namespace muster::controller
