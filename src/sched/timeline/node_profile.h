// NodeProfile: what one node has to give, now and later. Running jobs leave at their time limits;
// jobs that were promised a later start have their part from then on, counted but not yet chosen;
// reservations keep others out.
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

// Who asks for room, and for when.
struct Window {
  Time from, until;
  const Partition* partition = nullptr;      // whose MaxCPUsPerNode counts
  const Reservation* reservation = nullptr;  // the one it may use
  std::optional<Seconds> yields_within;      // others may lend it theirs
  Uid user;
  bool exclusive_user = false;
  std::uint32_t holders = 0;  // CPUs that so many jobs of the partition share already will do
  bool operator==(const Window&) const = default;
};

class NodeProfile {
 public:
  // The node can be used, and the reservations are those that hold something of it; those that
  // jobs wait for lend nothing.
  NodeProfile(const Cluster& cluster, const Node& node, Time now,
              std::vector<const Reservation*> reservations,
              const std::set<const Reservation*>& awaited);

  // What can be used during the whole window; nullptr where nothing can. Valid until a question
  // about another window, or a change.
  const Free* during(const Window& window);
  // The times after now at which more may become free, ascending.
  const std::vector<Time>& changes();
  const Free& now() const { return now_; }
  // Reservations of others keep this one away.
  bool is_reserved(const Window& window) const { return access_for(window).closed; }

  void keep_to(Uid user) { private_to_ = user; }         // a job runs that shares with nobody else
  void start(const NodeShare& share, const Window& by);  // which stays where it is
  void promise(const NodeShare& share, const Window& to);
  // A running job is taken for gone, or its CPUs for free.
  void vacate(const NodeShare& share);
  void lend(const NodeShare& share);

 private:
  struct Demand {  // by number; devices of each pool of the node, or none at all
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
    std::optional<IdSet> frees_only;  // of its CPUs: others stay on the rest
    const IdSet& frees() const { return frees_only ? *frees_only : share->held_cpus(); }
  };
  struct Promise {
    Time from, until;
    Demand takes;
    const IdSet* only = nullptr;  // CPUs that their reservation has here
    const Partition* partition = nullptr;
  };
  struct Sharing {  // of CPUs that others hold
    const IdSet& cpus;
    IdSet given_back;               // of these, before some promise is due
    std::int64_t most_without = 0;  // what promises need at any one time if none of these is
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
  Free later_;                  // when the first `given_back_` have left
  std::size_t given_back_ = 0;  // 0 = `later_` is not known
  Free narrowed_;               // by promises and reservations
  std::optional<Window> asked_;
  Answer answer_ = Answer::nothing;  // to the last question
  bool releases_known_ = false, changes_known_ = false;
  std::vector<Release> releases_;  // ascending
  std::vector<Promise> promises_;  // ascending by their start
  std::vector<Promise> by_end_;    // the same, ascending by their end
  std::vector<const Reservation*> reservations_;
  const std::set<const Reservation*>* awaited_;
  std::optional<Uid> private_to_;
  std::vector<Uid> started_;  // whose jobs this plan has started here
  std::vector<Time> changes_;
};

}  // namespace muster::sched
