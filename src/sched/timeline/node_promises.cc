// What promised jobs leave of a node to later jobs: the most that the promises need at any one time
// within a window is kept free.
#include <algorithm>

#include "sched/timeline/node_profile.h"

namespace muster::sched {

// Walks through the times at which promised jobs start within the window, in order; the demand only
// grows at these. For each it calls on_promise with 1 for a promise that starts and -1 for each
// that has ended, then on_release for each job that has left, then note().
template <class OnPromise, class OnRelease, class Note>
void NodeProfile::go_through(const Window& window, OnPromise&& on_promise, OnRelease&& on_release,
                             Note&& note) {
  learn_releases();
  auto end = std::ranges::upper_bound(by_end_, window.from, {}, &Promise::until);
  auto release = std::ranges::upper_bound(releases_, window.from, {}, &Release::at);
  for (const Promise& p : promises_) {
    const Time t = std::max(p.from, window.from);
    if (t >= window.until) break;
    if (t >= p.until) continue;
    on_promise(p, 1);
    for (; end != by_end_.end() && end->until <= t; ++end) on_promise(*end, -1);
    for (; release != releases_.end() && release->at <= t; ++release) on_release(*release);
    note();
  }
}

// The most CPUs of the partition's jobs, running and promised, at any one time within the window.
std::int64_t NodeProfile::most_cpus_used_by(const Partition& partition, const Window& window) {
  learn_releases();
  auto held = [&](const Release& r) -> std::int64_t {
    return r.partition == partition.name.view()
               ? static_cast<std::int64_t>(r.share->held_cpus().size())
               : 0;
  };
  std::int64_t then = 0;
  for (const Release& r : releases_)
    if (window.from <= time_ || r.at > window.from) then += held(r);
  std::int64_t most = then;
  go_through(
      window,
      [&](const Promise& p, int sign) {
        if (p.partition == &partition) then += sign * p.takes.cpus;
      },
      [&](const Release& r) { then -= held(r); }, [&] { most = std::max(most, then); });
  return most;
}

void NodeProfile::keep_promises(const Window& window, const Access& access, const IdSet& shared) {
  Demand most, then;
  Sharing sharing{.cpus = shared};
  // A promise bound to a reservation's CPUs takes no other CPUs.
  auto on_promise = [&](const Promise& p, int sign) {
    then.add(p.takes, sign);
    if (p.only != access.only) then.cpus -= sign * p.takes.cpus;
  };
  auto on_release = [&](const Release& release) {
    then.add(release.gives, -1);
    if (!access.is_limited() && shared.empty()) return;
    const IdSet frees = access.usable(release.frees());
    then.cpus += release.gives.cpus - static_cast<std::int64_t>(frees.size());
    sharing.given_back.merge(frees.intersect(shared));
  };
  auto note = [&] {
    narrowed_.untouched = false;
    most.raise_to(then);
    sharing.most_without = std::max(
        sharing.most_without, then.cpus + static_cast<std::int64_t>(sharing.given_back.size()));
  };
  go_through(window, on_promise, on_release, note);
  if (shared.empty())
    narrowed_.promised_cpus = static_cast<std::uint32_t>(most.cpus);
  else
    keep_from_sharers(sharing, most.cpus);
  narrowed_.memory_mib -=
      std::min(narrowed_.memory_mib, static_cast<std::uint64_t>(most.memory_mib));
  for (std::size_t i = 0; i < most.devices.size(); ++i)
    narrowed_.gres[i].count -=
        std::min(narrowed_.gres[i].count, static_cast<std::uint64_t>(most.devices[i]));
}

// CPUs that this run shares do not become free while it holds them. Two ways to keep the promises:
// the run may use all shared CPUs, and enough free CPUs are kept for the promises without them; or
// the run may use none of the shared CPUs that promises count on. The CPUs to keep are chosen here,
// because a shared CPU is of no use to a promise.
void NodeProfile::keep_from_sharers(const Sharing& sharing, std::int64_t most) {
  IdSet own = narrowed_.cpus;
  own.subtract(sharing.cpus);
  const auto has = static_cast<std::int64_t>(own.size());
  std::int64_t keep = sharing.most_without;
  if (keep > has) {
    narrowed_.cpus.subtract(sharing.given_back);
    keep = most;
  }
  if (keep > has) {
    narrowed_.cpus = {};
    return;
  }
  const IdSet left = own.first(static_cast<std::uint64_t>(has - keep));
  own.subtract(left);
  narrowed_.cpus.subtract(own);
}

// MaxCPUsPerNode.
void NodeProfile::keep_below_bound(const Window& window) {
  const std::int64_t limit = *window.partition->max_cpus_per_node;
  const std::int64_t used = most_cpus_used_by(*window.partition, window);
  const auto rest = static_cast<std::uint32_t>(limit - std::min(limit, used));
  const auto free = static_cast<std::uint32_t>(narrowed_.cpus.size());
  narrowed_.promised_cpus = std::max(narrowed_.promised_cpus, free - std::min(free, rest));
}

}  // namespace muster::sched
