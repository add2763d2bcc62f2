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

// All of them at `at`, or the later time at which the first one fits that does not fit then.
struct Attempted {
  std::optional<JointSlot> slot;
  std::optional<Time> later;
};
Attempted attempt_at(const Cluster& cluster, const Members& members, Time at, Profile& profile,
                     std::uint64_t max_questions) {
  Profile::Closure closure(profile);
  JointSlot slot{at, std::vector<std::vector<NodeShare>>(members.size())};
  Attempted result;
  for (std::size_t i : choosing_order(members)) {
    const Member& m = members[i];
    auto own = earliest(cluster, *m.shape, m.limit, at, profile, max_questions);
    if (!own || own->at > at) {
      if (own) result.later = own->at;
      return result;
    }
    closure.close(own->shares);
    slot.shares[i] = std::move(own->shares);
  }
  result.slot = std::move(slot);
  return result;
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
  Profile::Closure closure(profile);
  JointSlot slot{at, std::vector<std::vector<NodeShare>>(members.size())};
  for (std::size_t i : choosing_order(members)) {
    auto shares = place_one(members[i]);
    if (!shares) return std::nullopt;
    closure.close(*shares);
    slot.shares[i] = std::move(*shares);
  }
  return slot;
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
  while (profile.questions() < max_questions) {
    Attempted tried = attempt_at(cluster, members, from, profile, max_questions);
    if (tried.slot || !tried.later) return std::move(tried.slot);
    from = *tried.later;
  }
  return std::nullopt;
}

}  // namespace muster::sched
