// First finds the time at which enough nodes are ready one by one, then tries to place the job.
#include "sched/timeline/earliest.h"

#include <algorithm>

#include "sched/place/place.h"

namespace muster::sched {

namespace {

// When each node by itself has room for a part of the job.
class ReadyTimes {
 public:
  ReadyTimes(const Cluster& cluster, const Shape& shape, Minutes limit, Time from, Profile& profile)
      : cluster_(cluster),
        shape_(shape),
        limit_(limit),
        from_(from),
        profile_(profile),
        uses_sole_holders_(profile.can_use_sole_holders(window_of(shape, from, limit))),
        empty_ones_fit_(profile.kinds()) {}

  std::optional<Time> ready_at(NodeId id) {
    if (uses_sole_holders_)
      if (const NodeIndex::SoleHolder sole_holder = profile_.sole_holder(id); sole_holder.job)
        return ready_when_emptied(id, sole_holder);
    if (!profile_.is_open(id)) return std::nullopt;
    auto has_room = [&](Time t) {
      const Free* free = profile_.free_during(id, window_of(shape_, t, limit_));
      return free && task_capacity(cluster_, shape_.request, id, *free) > 0;
    };
    if (has_room(from_)) return from_;
    const std::vector<Time>& times = profile_.changes(id);
    auto at = std::find_if(std::ranges::upper_bound(times, from_), times.end(), has_room);
    return at == times.end() ? std::nullopt : std::optional(*at);
  }

 private:
  // Nodes of one kind give the same answers, and large jobs hold many nodes in a row: reuse the
  // last answer. The probes are counted as if they had been made.
  std::optional<Time> ready_when_emptied(NodeId id, NodeIndex::SoleHolder sole_holder) {
    if (sole_holder != last_) {
      last_ = sole_holder;
      const Time emptied = profile_.leaves_at(sole_holder.job);
      last_probes_ = (from_ > profile_.now() ? 1 : 0) + (emptied > from_ ? 1 : 0);
      std::optional<bool>& fits = empty_ones_fit_[sole_holder.kind];
      if (!fits)
        fits = task_capacity(cluster_, shape_.request, id, all_of(cluster_.nodes.at(id))) > 0;
      last_ready_ = *fits ? std::optional(std::max(from_, emptied)) : std::nullopt;
    }
    profile_.count_probes(last_probes_);
    return last_ready_;
  }

  const Cluster& cluster_;
  const Shape& shape_;
  Minutes limit_;
  Time from_;
  Profile& profile_;
  bool uses_sole_holders_;
  std::vector<std::optional<bool>> empty_ones_fit_;  // by kind
  NodeIndex::SoleHolder last_;                       // the last holder; its nodes' answers:
  std::uint64_t last_probes_ = 0;
  std::optional<Time> last_ready_;
};

// The time at which `needed` nodes are ready.
std::optional<Time> enough_ready_at(std::size_t needed, const std::vector<NodeId>& nodes,
                                    ReadyTimes ready) {
  std::vector<Time> first;  // the earliest `needed` times, as a heap with the latest in front
  for (NodeId id : nodes) {
    const auto t = ready.ready_at(id);
    if (!t || (first.size() == needed && *t >= first.front())) continue;
    if (first.size() == needed) {
      std::ranges::pop_heap(first);
      first.pop_back();
    }
    first.push_back(*t);
    std::ranges::push_heap(first);
  }
  return first.size() == needed ? std::optional(first.front()) : std::nullopt;
}

}  // namespace

std::vector<Time> changes_after(const Shape& shape, Time first, Profile& profile) {
  std::vector<Time> times;
  for (NodeId id : shape.nodes->all) {
    const std::vector<Time>& here = profile.changes(id);
    for (auto t = std::ranges::upper_bound(here, first); t != here.end(); ++t)
      if (times.empty() || times.back() != *t) times.push_back(*t);
  }
  std::sort(times.begin(), times.end());
  times.erase(std::unique(times.begin(), times.end()), times.end());
  return times;
}

std::optional<Slot> earliest(const Cluster& cluster, const Shape& shape, Minutes limit, Time from,
                             Profile& profile, std::uint64_t max_probes) {
  const auto first = enough_ready_at(shape.request.min_nodes, shape.nodes->all,
                                     {cluster, shape, limit, from, profile});
  if (!first) return std::nullopt;
  auto slot_at = [&](Time t) -> std::optional<Slot> {
    if (profile.probes() >= max_probes) return std::nullopt;
    auto shares = place_during(cluster, shape, window_of(shape, t, limit), profile);
    return shares ? std::optional(Slot{t, std::move(*shares)}) : std::nullopt;
  };
  if (auto slot = slot_at(*first)) return slot;
  return first_success(changes_after(shape, *first, profile), slot_at);
}

}  // namespace muster::sched
