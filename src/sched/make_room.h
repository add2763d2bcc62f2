// RoomMaker: how a job that does not fit may start at the cost of others (preemption).
#pragma once

#include <optional>
#include <set>
#include <vector>

#include "sched/profile.h"
#include "sched/shape.h"

namespace muster::sched {

struct Room {
  std::vector<NodeShare> shares;  // what the job gets
  std::vector<JobId> victims;     // who gives it
};

class RoomMaker {
 public:
  RoomMaker(const Cluster& cluster, Profile& profile, Time now, std::uint64_t max_questions)
      : cluster_(cluster), profile_(profile), now_(now), max_questions_(max_questions) {}

  // On CPUs of jobs that are suspended until it has gone: it can start at once. The victims are
  // whose CPUs it uses, whether they run or are suspended already.
  std::optional<Room> lent(const Job& job, const Shape& shape, const Window& window);
  // Once the victims have ended: as few as possible, or none where enough others are leaving.
  std::optional<Room> vacated(const Job& job, const Shape& shape, const Window& window);
  // When all who are leaving have left the nodes of the room.
  Time vacant_at(const Room& room) const;

 private:
  bool is_leaving(const Job& job) const;
  std::vector<JobId> displaceable(const Job& job, const Shape& shape, bool by_suspending) const;
  bool is_suspended(JobId id) const;

  const Cluster& cluster_;
  Profile& profile_;
  Time now_;
  std::uint64_t max_questions_;
  std::set<JobId> evicted_, suspended_;      // by this plan
  std::set<const Shape*> unaided_, unlent_;  // nobody makes room for these
};

}  // namespace muster::sched
