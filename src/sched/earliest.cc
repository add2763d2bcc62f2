#include "sched/earliest.h"

#include <algorithm>

#include "sched/place.h"

namespace muster::sched {

namespace {

constexpr std::size_t kTimesTried = 32;  // one by one; further ahead in growing steps

// When the node alone has room for a part of the job.
std::optional<Time> ready_at(const Cluster& cluster, const Shape& shape, NodeId id, Minutes limit,
                             Time from, Profile& profile) {
  auto has_room = [&](Time t) {
    const Free* free = profile.during(id, window_of(shape, t, limit));
    return free && task_capacity(cluster, shape.request, id, *free) > 0;
  };
  if (has_room(from)) return from;
  for (Time t : profile.changes(id))
    if (t > from && has_room(t)) return t;
  return std::nullopt;
}

// Times at which it may fit: the given one, and later ones when something changes on its nodes.
std::vector<Time> changes_from(const Shape& shape, Time first, Profile& profile) {
  std::vector<Time> times{first};
  for (NodeId id : shape.nodes)
    for (Time t : profile.changes(id))
      if (t > first) times.push_back(t);
  std::sort(times.begin(), times.end());
  times.erase(std::unique(times.begin(), times.end()), times.end());
  return times;
}

}  // namespace

std::optional<Slot> earliest(const Cluster& cluster, const Shape& shape, Minutes limit, Time from,
                             Profile& profile, std::uint64_t max_questions) {
  std::vector<Time> ready;
  for (NodeId id : shape.nodes)
    if (auto t = ready_at(cluster, shape, id, limit, from, profile)) ready.push_back(*t);
  std::size_t needed = shape.request.min_nodes;
  if (ready.size() < needed) return std::nullopt;
  auto last_needed = ready.begin() + static_cast<std::ptrdiff_t>(needed - 1);
  std::nth_element(ready.begin(), last_needed, ready.end());
  std::vector<Time> times = changes_from(shape, *last_needed, profile);
  std::size_t step = 1;
  for (std::size_t i = 0; i < times.size() && profile.questions() < max_questions;) {
    if (auto shares = place_during(cluster, shape, window_of(shape, times[i], limit), profile))
      return Slot{times[i], std::move(*shares)};
    if (i + 1 == times.size()) break;
    if (i >= kTimesTried) step *= 2;
    i = std::min(i + step, times.size() - 1);
  }
  return std::nullopt;
}

}  // namespace muster::sched
