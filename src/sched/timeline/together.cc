// Places the members of a group one after the other, each on nodes that the others have not taken.
#include "sched/timeline/together.h"

#include <algorithm>
#include <numeric>

#include "sched/timeline/earliest.h"

namespace muster::sched {

namespace {

// Members share no node, so those that require certain nodes choose first.
std::vector<std::size_t> choosing_order(const JobGroup& group) {
  std::vector<std::size_t> order(group.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_partition(order.begin(), order.end(), [&](std::size_t i) {
    return !group[i].shape->request.required_nodes.empty();
  });
  return order;
}

struct Chosen {
  std::optional<GroupSlot> slot;
  std::size_t failed = 0;  // without a slot: position in the order of the member that got nothing
};

Chosen choose_in_order(const Cluster& cluster, const JobGroup& group,
                       const std::vector<std::size_t>& order, Time at, Profile& profile) {
  Profile::Closure closure(profile);
  GroupSlot slot{at, std::vector<std::vector<NodeShare>>(group.size())};
  for (std::size_t place = 0; place < order.size(); ++place) {
    const GroupMember& m = group[order[place]];
    auto shares = place_during(cluster, *m.shape, window_of(*m.shape, at, m.limit), profile);
    if (!shares) return {std::nullopt, place};
    closure.close(*shares);
    slot.shares[order[place]] = std::move(*shares);
  }
  return {std::move(slot), 0};
}

// The first time at which each member would fit if it were alone.
std::optional<Time> each_fits_at(const Cluster& cluster, const JobGroup& group, Time from,
                                 Profile& profile, std::uint64_t max_probes) {
  for (const GroupMember& m : group) {
    auto slot = earliest(cluster, *m.shape, m.limit, from, profile, max_probes);
    if (!slot) return std::nullopt;
    from = slot->at;
  }
  return from;
}

}  // namespace

LicenseBook::Counts licenses_of(const JobGroup& group) {
  LicenseBook::Counts wanted;
  for (const GroupMember& m : group)
    for (const auto& [name, count] : m.shape->request.licenses) wanted[name] += count;
  return wanted;
}

LicenseBook::Span span_of(const GroupMember& member, Time from) {
  const Window window = window_of(*member.shape, from, member.limit);
  return {window.from, window.until, window.reservation};
}

// A member that gets nothing because of the others' choices chooses first in the next try.
std::optional<GroupSlot> place_together(const Cluster& cluster, const JobGroup& group, Time at,
                                        Profile& profile) {
  if (group.size() == 1) {
    const GroupMember& m = group.front();
    auto shares = place_during(cluster, *m.shape, window_of(*m.shape, at, m.limit), profile);
    if (!shares) return std::nullopt;
    return GroupSlot{at, {std::move(*shares)}};
  }
  std::vector<std::size_t> order = choosing_order(group);
  for (std::size_t tries = 0; tries < group.size(); ++tries) {
    Chosen chosen = choose_in_order(cluster, group, order, at, profile);
    if (chosen.slot || chosen.failed == 0) return std::move(chosen.slot);
    const auto failed = order.begin() + static_cast<std::ptrdiff_t>(chosen.failed);
    std::rotate(order.begin(), failed, failed + 1);
  }
  return std::nullopt;
}

std::optional<GroupSlot> earliest_together(const Cluster& cluster, const JobGroup& group, Time from,
                                           Profile& profile, std::uint64_t max_probes) {
  if (group.size() == 1) {
    const GroupMember& m = group.front();
    auto slot = earliest(cluster, *m.shape, m.limit, from, profile, max_probes);
    if (!slot) return std::nullopt;
    return GroupSlot{slot->at, {std::move(slot->shares)}};
  }
  const auto first = each_fits_at(cluster, group, from, profile, max_probes);
  if (!first) return std::nullopt;
  std::vector<Time> times{*first};
  for (const GroupMember& m : group) {
    const std::vector<Time> changes = changes_after(*m.shape, *first, profile);
    times.insert(times.end(), changes.begin(), changes.end());
  }
  std::ranges::sort(times);
  times.erase(std::ranges::unique(times).begin(), times.end());
  return first_success(times, [&](Time at) -> std::optional<GroupSlot> {
    if (profile.probes() >= max_probes) return std::nullopt;
    return place_together(cluster, group, at, profile);
  });
}

}  // namespace muster::sched
