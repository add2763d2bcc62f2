#include "sched/together.h"

#include <algorithm>
#include <numeric>

#include "sched/earliest.h"

namespace muster::sched {

namespace {

// Members share no node, so whoever names nodes has the first choice.
std::vector<std::size_t> choosing_order(const Members& members) {
  std::vector<std::size_t> order(members.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_partition(order.begin(), order.end(), [&](std::size_t i) {
    return !members[i].shape->request.required_nodes.empty();
  });
  return order;
}

// What they get when they choose in this order; the first one that gets nothing says where it
// stands.
template <class Choose>
std::optional<JointSlot> choose_in_order(const std::vector<std::size_t>& order, Time at,
                                         Profile& profile, std::size_t& failed, Choose&& choose) {
  Profile::Closure closure(profile);
  JointSlot slot{at, std::vector<std::vector<NodeShare>>(order.size())};
  for (std::size_t place = 0; place < order.size(); ++place) {
    std::optional<std::vector<NodeShare>> shares = choose(order[place]);
    if (!shares) {
      failed = place;
      return std::nullopt;
    }
    closure.close(*shares);
    slot.shares[order[place]] = std::move(*shares);
  }
  return slot;
}

// Who gets nothing because of the others' choice has the first one the next time.
template <class Choose>
std::optional<JointSlot> choose_together(const Members& members, Time at, Profile& profile,
                                         Choose&& choose) {
  std::vector<std::size_t> order = choosing_order(members);
  for (std::size_t tries = 0; tries < members.size(); ++tries) {
    std::size_t failed = 0;
    if (auto slot = choose_in_order(order, at, profile, failed, choose)) return slot;
    if (failed == 0) return std::nullopt;
    const auto first = order.begin() + static_cast<std::ptrdiff_t>(failed);
    std::rotate(order.begin(), first, first + 1);
  }
  return std::nullopt;
}

// The first time at which each of them would fit if it were alone.
std::optional<Time> each_fits_at(const Cluster& cluster, const Members& members, Time from,
                                 Profile& profile, std::uint64_t max_questions) {
  for (const Member& m : members) {
    auto slot = earliest(cluster, *m.shape, m.limit, from, profile, max_questions);
    if (!slot) return std::nullopt;
    from = slot->at;
  }
  return from;
}

// The next time at which anything changes for any of them.
std::optional<Time> next_change(const Members& members, Time after, Profile& profile) {
  std::optional<Time> next;
  for (const Member& m : members)
    for (NodeId id : m.shape->nodes->all) {
      const std::vector<Time>& times = profile.changes(id);
      auto at = std::ranges::upper_bound(times, after);
      if (at != times.end() && (!next || *at < *next)) next = *at;
    }
  return next;
}

}  // namespace

LicenseBook::Counts licenses_of(const Members& members) {
  LicenseBook::Counts wanted;
  for (const Member& m : members)
    for (const auto& [name, count] : m.shape->request.licenses) wanted[name] += count;
  return wanted;
}

LicenseBook::Span span_of(const Member& member, Time from) {
  const Window window = window_of(*member.shape, from, member.limit);
  return {window.from, window.until, window.reservation};
}

std::optional<JointSlot> place_together(const Cluster& cluster, const Members& members, Time at,
                                        Profile& profile) {
  auto place_one = [&](const Member& m) {
    return place_during(cluster, *m.shape, window_of(*m.shape, at, m.limit), profile);
  };
  if (members.size() == 1) {
    auto shares = place_one(members.front());
    if (!shares) return std::nullopt;
    return JointSlot{at, {std::move(*shares)}};
  }
  return choose_together(members, at, profile,
                         [&](std::size_t i) { return place_one(members[i]); });
}

std::optional<JointSlot> earliest_together(const Cluster& cluster, const Members& members,
                                           Time from, Profile& profile,
                                           std::uint64_t max_questions) {
  if (members.size() == 1) {
    const Member& m = members.front();
    auto slot = earliest(cluster, *m.shape, m.limit, from, profile, max_questions);
    if (!slot) return std::nullopt;
    return JointSlot{slot->at, {std::move(slot->shares)}};
  }
  auto at = each_fits_at(cluster, members, from, profile, max_questions);
  while (at && profile.questions() < max_questions) {
    if (auto slot = place_together(cluster, members, *at, profile)) return slot;
    const auto later = next_change(members, *at, profile);
    if (!later) return std::nullopt;
    at = each_fits_at(cluster, members, *later, profile, max_questions);
  }
  return std::nullopt;
}

}  // namespace muster::sched
