#include "sched/timeline/together.h"

#include <algorithm>
#include <numeric>

#include "sched/timeline/earliest.h"

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

struct Chosen {
  std::optional<JointSlot> slot;
  std::size_t failed = 0;  // otherwise: the place in the order of the first one that got nothing
};

Chosen choose_in_order(const Cluster& cluster, const Members& members,
                       const std::vector<std::size_t>& order, Time at, Profile& profile) {
  Profile::Closure closure(profile);
  JointSlot slot{at, std::vector<std::vector<NodeShare>>(members.size())};
  for (std::size_t place = 0; place < order.size(); ++place) {
    const Member& m = members[order[place]];
    auto shares = place_during(cluster, *m.shape, window_of(*m.shape, at, m.limit), profile);
    if (!shares) return {std::nullopt, place};
    closure.close(*shares);
    slot.shares[order[place]] = std::move(*shares);
  }
  return {std::move(slot), 0};
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

// Who gets nothing because of the others' choice has the first one the next time.
std::optional<JointSlot> place_together(const Cluster& cluster, const Members& members, Time at,
                                        Profile& profile) {
  if (members.size() == 1) {
    const Member& m = members.front();
    auto shares = place_during(cluster, *m.shape, window_of(*m.shape, at, m.limit), profile);
    if (!shares) return std::nullopt;
    return JointSlot{at, {std::move(*shares)}};
  }
  std::vector<std::size_t> order = choosing_order(members);
  for (std::size_t tries = 0; tries < members.size(); ++tries) {
    Chosen chosen = choose_in_order(cluster, members, order, at, profile);
    if (chosen.slot || chosen.failed == 0) return std::move(chosen.slot);
    const auto failed = order.begin() + static_cast<std::ptrdiff_t>(chosen.failed);
    std::rotate(order.begin(), failed, failed + 1);
  }
  return std::nullopt;
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
  const auto first = each_fits_at(cluster, members, from, profile, max_questions);
  if (!first) return std::nullopt;
  std::vector<Time> times{*first};
  for (const Member& m : members) {
    const std::vector<Time> changes = changes_after(*m.shape, *first, profile);
    times.insert(times.end(), changes.begin(), changes.end());
  }
  std::ranges::sort(times);
  times.erase(std::ranges::unique(times).begin(), times.end());
  return first_success(times, [&](Time at) -> std::optional<JointSlot> {
    if (profile.questions() >= max_questions) return std::nullopt;
    return place_together(cluster, members, at, profile);
  });
}

}  // namespace muster::sched
