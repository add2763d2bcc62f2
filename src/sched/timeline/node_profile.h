// NodeProfile: what is free on one node, now and later. Running jobs leave at their time limits.
// Promised jobs hold an amount from their start on; which CPUs and devices is decided when they
// start. Reservations keep other jobs out.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

#include "base/containers/short_list.h"
#include "model/cluster.h"
#include "sched/place/free.h"
#include "sched/timeline/reserved.h"

namespace muster::sched {

// The time and the properties of a run that needs room.
struct Window {
  Time from, until;
  const Partition* partition = nullptr;      // for its MaxCPUsPerNode
  const Reservation* reservation = nullptr;  // the one that the run may use
  std::optional<Seconds> yields_within;      // --signal=R: may borrow reserved nodes
  Uid user;
  bool exclusive_user = false;
  std::uint32_t holders = 0;  // may share CPUs with up to so many jobs of the partition
  bool operator==(const Window&) const = default;
};

class NodeProfile {
 public:
  // Requires an available node. `reservations` are those that hold a part of it. Reservations in
  // `awaited` lend nothing, because jobs wait for them.
  NodeProfile(const Cluster& cluster, const Node& node, Time now,
              std::vector<const Reservation*> reservations,
              const std::set<const Reservation*>& awaited);

  // What is free during the whole window; nullptr if nothing is. Valid until a probe for another
  // window, or a change.
  const Free* free_during(const Window& window);
  // The times after now at which more may become free, ascending.
  const std::vector<Time>& changes();
  const Free& now() const { return now_; }
  // Other jobs' reservations keep this run away.
  bool is_reserved(const Window& window) const { return access_for(window).closed; }

  void keep_to(Uid user) { private_to_ = user; }         // only this user's jobs may run here
  void start(const NodeShare& share, const Window& by);  // the share must outlive this object
  void promise(const NodeShare& share, const Window& to);
  // For trials: a running job counts as gone, or its CPUs as free.
  void release(const NodeShare& share);
  void release_cpus(const NodeShare& share);

 private:
  struct Demand {  // amounts only; `devices` by the node's pools, or empty
    std::int64_t cpus = 0, memory_mib = 0;
    ShortList<std::int64_t> devices;
    void add(const Demand& other, int sign = 1);
    void raise_to(const Demand& other);
  };
  struct Release {
    Time at;
    const NodeShare* share = nullptr;
    std::string_view partition;
    Demand gives;
    std::optional<IdSet> frees_only;  // of its CPUs; other jobs still hold the rest
    const IdSet& frees() const { return frees_only ? *frees_only : share->held_cpus(); }
  };
  struct Promise {
    Time from, until;
    Demand takes;
    const IdSet* only = nullptr;  // bound to these CPUs of its reservation
    const Partition* partition = nullptr;
  };
  struct Sharing {  // a run that shares CPUs with other jobs
    const IdSet& cpus;
    IdSet given_back;               // the part of these that is released before some promise starts
    std::int64_t most_without = 0;  // the most that promises need if none of these is released
  };
  enum class Answer : std::uint8_t { nothing, now, later, narrowed };

  Answer find_out(const Window& window);
  const Free* answer_to_last() const;
  void learn_releases();
  Release release_of(Time at, const NodeShare& share, std::string_view partition) const;
  void find_who_leaves_last();
  Demand demand_of(const NodeShare& share) const;
  const Free& after_releases_until(Time from);
  Access access_for(const Window& window) const;
  bool is_open_to(const Window& window) const;
  IdSet shareable_during(const Window& window);
  template <class OnPromise, class OnRelease, class Note>
  void go_through(const Window& window, OnPromise&& on_promise, OnRelease&& on_release,
                  Note&& note);
  void keep_promises(const Window& window, const Access& access, const IdSet& shared);
  void keep_from_sharers(const Sharing& sharing, std::int64_t most);
  void keep_below_bound(const Window& window);
  std::int64_t most_cpus_used_by(const Partition& partition, const Window& window);
  void remove_release(const NodeShare& share);
  void forget_answers();

  const Cluster* cluster_;
  const Node* node_;
  Time time_;  // now
  Free now_;
  Free later_;                  // after the first `given_back_` releases
  std::size_t given_back_ = 0;  // 0 = `later_` is not valid
  Free narrowed_;               // less what promises and reservations take
  std::optional<Window> asked_;
  Answer answer_ = Answer::nothing;  // to the last probe
  bool releases_known_ = false, changes_known_ = false;
  std::vector<Release> releases_;  // ascending
  std::vector<Promise> promises_;  // ascending by start
  std::vector<Promise> by_end_;    // the same, ascending by end
  std::vector<const Reservation*> reservations_;
  const std::set<const Reservation*>* awaited_;
  std::optional<Uid> private_to_;
  std::vector<Uid> started_;  // users whose jobs this plan has started here
  std::vector<Time> changes_;
};

}  // namespace muster::sched
