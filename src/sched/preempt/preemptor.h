// Preemptor: finds the jobs to suspend or to evict so that a group of jobs can start.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "sched/timeline/profile.h"
#include "sched/timeline/together.h"

namespace muster::sched {

struct PreemptionSlot {
  GroupSlot slot;              // what the group gets
  std::vector<JobId> victims;  // jobs that make way for it
};

class Preemptor {
 public:
  // In the profile the jobs in `gone` have already left.
  Preemptor(const Cluster& cluster, Profile& profile, const LicenseBook& licenses, Time now,
            std::uint64_t max_probes, const std::set<JobId>& gone)
      : cluster_(cluster),
        profile_(profile),
        licenses_(licenses),
        now_(now),
        max_probes_(max_probes),
        gone_(gone) {}

  // A slot on CPUs of jobs that stay suspended until the group has ended. The group can start at
  // once. The victims are the jobs whose CPUs it uses, running or already suspended.
  std::optional<PreemptionSlot> find_by_suspending(const JobGroup& group);
  void commit_suspension(const std::vector<JobId>& victims);  // the slot is used
  // A slot for when the victims have ended: as few victims as possible, or none if enough other
  // jobs are leaving anyway.
  std::optional<PreemptionSlot> find_by_evicting(const JobGroup& group);
  void commit_eviction(const std::vector<JobId>& victims,
                       const Job& by);  // the victims have to leave
  // When all leaving jobs will have left the nodes of the slot.
  Time free_from(const PreemptionSlot& opening) const;

 private:
  using GroupShapes = std::vector<const Shape*>;
  static GroupShapes shapes_of(const JobGroup& group);
  bool is_leaving(const Job& job) const;
  std::vector<JobId> preemptable_by(const JobGroup& group, bool by_suspending) const;
  bool is_suspended(JobId id) const;
  bool have_licenses(const JobGroup& group, const std::vector<JobId>& leaving,
                     const std::vector<JobId>& victims) const;

  const Cluster& cluster_;
  Profile& profile_;
  const LicenseBook& licenses_;
  Time now_;
  std::uint64_t max_probes_;
  const std::set<JobId>& gone_;
  // What this plan has done.
  std::map<JobId, Seconds> evicted_;  // how soon they leave
  std::set<JobId> suspended_;
  std::set<GroupShapes> not_evictable_for_, not_suspendable_for_;  // tried in vain
};

}  // namespace muster::sched
