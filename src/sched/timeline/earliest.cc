#include "sched/timeline/earliest.h"

#include <algorithm>

#include "sched/place/place.h"

namespace muster::sched {

namespace {

// When nodes have room for a part of the job, each one alone.
class ReadyTimes {
 public:
  ReadyTimes(const Cluster& cluster, const Shape& shape, Minutes limit, Time from, Profile& profile)
      : cluster_(cluster),
        shape_(shape),
        limit_(limit),
        from_(from),
        profile_(profile),
        by_soles_(profile.goes_by_soles(window_of(shape, from, limit))),
        empty_ones_fit_(profile.kinds()) {}

  std::optional<Time> of(NodeId id) {
    if (by_soles_)
      if (const NodeIndex::Sole sole = profile_.sole(id); sole.job) return of_emptied(id, sole);
    if (!profile_.is_open(id)) return std::nullopt;
    auto has_room = [&](Time t) {
      const Free* free = profile_.during(id, window_of(shape_, t, limit_));
      return free && task_capacity(cluster_, shape_.request, id, *free) > 0;
    };
    if (has_room(from_)) return from_;
    const std::vector<Time>& times = profile_.changes(id);
    auto at = std::find_if(std::ranges::upper_bound(times, from_), times.end(), has_room);
    return at == times.end() ? std::nullopt : std::optional(*at);
  }

 private:
  // The same questions have the same answers on all nodes of a kind, and large jobs hold many nodes
  // in a row. They count all the same.
  std::optional<Time> of_emptied(NodeId id, NodeIndex::Sole sole) {
    if (sole != last_) {
      last_ = sole;
      const Time emptied = profile_.leaves_at(sole.job);
      last_questions_ = (from_ > profile_.now() ? 1 : 0) + (emptied > from_ ? 1 : 0);
      std::optional<bool>& fits = empty_ones_fit_[sole.kind];
      if (!fits)
        fits = task_capacity(cluster_, shape_.request, id, all_of(cluster_.nodes.at(id))) > 0;
      last_ready_ = *fits ? std::optional(std::max(from_, emptied)) : std::nullopt;
    }
    profile_.count_questions(last_questions_);
    return last_ready_;
  }

  const Cluster& cluster_;
  const Shape& shape_;
  Minutes limit_;
  Time from_;
  Profile& profile_;
  bool by_soles_;
  std::vector<std::optional<bool>> empty_ones_fit_;  // by kind
  NodeIndex::Sole last_;                             // and what was found out about its nodes
  std::uint64_t last_questions_ = 0;
  std::optional<Time> last_ready_;
};

// The time at which so many nodes are ready.
std::optional<Time> enough_ready_at(std::size_t needed, const std::vector<NodeId>& nodes,
                                    ReadyTimes ready) {
  std::vector<Time> first;  // so many, as a heap: the last one of them in front
  for (NodeId id : nodes) {
    const auto t = ready.of(id);
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
                             Profile& profile, std::uint64_t max_questions) {
  const auto first = enough_ready_at(shape.request.min_nodes, shape.nodes->all,
                                     {cluster, shape, limit, from, profile});
  if (!first) return std::nullopt;
  auto slot_at = [&](Time t) -> std::optional<Slot> {
    if (profile.questions() >= max_questions) return std::nullopt;
    auto shares = place_during(cluster, shape, window_of(shape, t, limit), profile);
    return shares ? std::optional(Slot{t, std::move(*shares)}) : std::nullopt;
  };
  if (auto slot = slot_at(*first)) return slot;
  return first_success(changes_after(shape, *first, profile), slot_at);
}

}  // namespace muster::sched
