// RoomMaker: how jobs that do not fit may start at the cost of others (preemption).
#pragma once

#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "sched/timeline/profile.h"
#include "sched/timeline/together.h"

namespace muster::sched {

struct Room {
  JointSlot slot;              // what they get
  std::vector<JobId> victims;  // who gives it
};

class RoomMaker {
 public:
  // The profile is as if those who are gone had left.
  RoomMaker(const Cluster& cluster, Profile& profile, const LicenseBook& licenses, Time now,
            std::uint64_t max_questions, const std::set<JobId>& gone)
      : cluster_(cluster),
        profile_(profile),
        licenses_(licenses),
        now_(now),
        max_questions_(max_questions),
        gone_(gone) {}

  // On CPUs of jobs that are suspended until they have gone: they can start at once. The victims
  // are whose CPUs they use, whether these run or are suspended already.
  std::optional<Room> lent(const Members& members);
  void borrow(const std::vector<JobId>& victims);  // the room is taken
  // Once the victims have ended: as few as possible, or none where enough others are leaving.
  std::optional<Room> vacated(const Members& members);
  void evict(const std::vector<JobId>& victims, const Job& by);  // they are told to go
  // When all who are leaving have left the nodes of the room.
  Time vacant_at(const Room& room) const;

 private:
  using Forms = std::vector<const Shape*>;
  static Forms forms_of(const Members& members);
  bool is_leaving(const Job& job) const;
  std::vector<JobId> displaceable(const Members& members, bool by_suspending) const;
  bool is_suspended(JobId id) const;
  bool have_licenses(const Members& members, const std::vector<JobId>& leaving,
                     const std::vector<JobId>& victims) const;

  const Cluster& cluster_;
  Profile& profile_;
  const LicenseBook& licenses_;
  Time now_;
  std::uint64_t max_questions_;
  const std::set<JobId>& gone_;
  // By this plan.
  std::map<JobId, Seconds> evicted_;  // and how soon they leave
  std::set<JobId> suspended_;
  std::set<Forms> unaided_, unlent_;  // nobody makes room for these
};

}  // namespace muster::sched
