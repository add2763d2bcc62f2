// Fields of jobs in submit scripts whose values have a form of their own in Slurm. For
// job_fields.cc.
#pragma once

#include "base/result.h"
#include "model/job/job_spec.h"
#include "wire/hook_fields.h"

namespace muster::controller {

inline std::unexpected<Error> too_large(const wire::HookField& f) {
  return fail(f.name + "=" + std::to_string(*f.number) + " is too large");
}
inline bool is_small(const wire::HookField& f) { return *f.number < wire::kNoVal; }

#define MUSTER_HOOK_FIELD(name)                         \
  void get_##name(const JobRequest&, wire::HookField&); \
  Result<void> set_##name(JobRequest&, const wire::HookField&);
MUSTER_HOOK_FIELD(begin)
MUSTER_HOOK_FIELD(bitflags)
MUSTER_HOOK_FIELD(contiguous)
MUSTER_HOOK_FIELD(cpus_per_gpu)
MUSTER_HOOK_FIELD(gres)
MUSTER_HOOK_FIELD(mail_type)
MUSTER_HOOK_FIELD(max_nodes)
MUSTER_HOOK_FIELD(memory)
MUSTER_HOOK_FIELD(memory_per_gpu)
MUSTER_HOOK_FIELD(min_nodes)
MUSTER_HOOK_FIELD(nice)
MUSTER_HOOK_FIELD(priority)
MUSTER_HOOK_FIELD(reboot)
MUSTER_HOOK_FIELD(requeue)
MUSTER_HOOK_FIELD(sharing)
MUSTER_HOOK_FIELD(site_factor)
MUSTER_HOOK_FIELD(std_in)
MUSTER_HOOK_FIELD(switches)
MUSTER_HOOK_FIELD(switches_wait)
#undef MUSTER_HOOK_FIELD
void get_min_cpus(const JobRequest&, wire::HookField&);
Result<void> set_memory_per_cpu(JobRequest&, const wire::HookField&);
Result<void> set_memory_per_node(JobRequest&, const wire::HookField&);

}  // namespace muster::controller
