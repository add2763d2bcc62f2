// Profile: what every node has to give, now and later. Running jobs leave at their time limits;
// jobs that were promised a later start have their part from then on, counted but not yet chosen;
// reservations keep others out.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "model/cluster.h"
#include "sched/free.h"
#include "sched/reserved.h"

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
};

class Profile {
 public:
  Profile(const Cluster& cluster, Time now);

  bool available(NodeId node) const {
    return node.value < states_.size() && states_[node.value].available;
  }
  // What can be used there during the whole window; nullptr where nothing can. Valid until the next
  // question about this node.
  const Free* during(NodeId node, const Window& window);
  // Those of the nodes that may have something to give then. The list itself must stay where it is.
  const std::vector<NodeId>& worth_asking(const std::vector<NodeId>& nodes, const Window& window);
  // The times after now at which more may become free there, ascending.
  std::vector<Time> changes(NodeId node);

  void start(const NodeShare& share, const Window& by);  // it runs until the window's end
  void promise(const NodeShare& share, const Window& to);
  // Reservations of others are all that keeps this one away.
  bool is_reserved(NodeId node, const Window& window);
  // Nothing more is given there.
  void bar(NodeId node);
  bool is_open(NodeId node) const { return available(node) && !states_[node.value].barred; }
  std::size_t barred() const { return barred_; }
  // Could a job that holds CPUs alone get some there now?
  bool has_free_cpus(NodeId node) const { return is_open(node) && !states_[node.value].full; }
  bool has_reservations() const { return !reservations_.empty(); }
  // Some node is one user's alone.
  bool has_private_nodes() const { return has_private_nodes_; }

  std::uint64_t questions() const { return questions_; }
  // A copy was asked instead: its questions count, and so does making it.
  void count_trial(const Profile& trial) {
    constexpr std::size_t kEntriesCopiedInAQuestionsTime = 8;
    questions_ = trial.questions_ + states_.size() / kEntriesCopiedInAQuestionsTime;
  }

  class Trial;

 private:
  struct Release {
    Time at;
    const NodeShare* share = nullptr;
    std::string_view partition;
  };
  struct Promise {
    Time from, until;
    std::uint32_t cpus = 0;
    std::uint64_t memory_mib = 0;
    std::vector<GresShare> gres;
    const IdSet* only = nullptr;  // CPUs that their reservation has there
  };
  struct State {  // of a node: what is known without asking
    bool available = false, barred = false, full = false;
    std::uint32_t entry = 0;  // its place among the entries, from 1 on; 0 = nobody asked yet
  };
  struct Entry {
    bool releases_known = false;
    Free now;
    Free scratch;
    std::vector<Release> releases;  // ascending
    std::vector<Promise> promises;
    std::vector<const Reservation*> reservations;
    std::optional<Uid> private_to;  // a job runs here that shares only with its own user's
    std::vector<Window> started;    // by this plan; parallel to it:
    std::vector<std::uint32_t> started_cpus;
  };

  Entry& entry(NodeId node);
  void note_fullness(NodeId node);
  void learn_releases(Entry& entry, NodeId node);
  IdSet shareable_at(const Entry& entry, const Window& window) const;
  bool open_to(const Entry& entry, NodeId node, const Window& window) const;
  std::uint32_t cpus_used_by(const Partition& partition, const Entry& entry, NodeId node) const;
  Access access_to(const Entry& entry, NodeId node, const Window& window) const;
  static void keep_promises(const Entry& entry, const Window& window, const Access& access,
                            Free& free);

  const Cluster& cluster_;
  Time now_;
  std::vector<State> states_;  // by node id
  std::deque<Entry> entries_;
  std::vector<const Reservation*> reservations_;  // that are not over
  std::set<const Reservation*> awaited_;          // lenders of nodes that jobs wait for
  std::deque<NodeShare> started_;                 // shares of jobs that this plan starts
  std::uint64_t questions_ = 0;
  std::size_t barred_ = 0;
  std::size_t full_ = 0;
  bool has_private_nodes_ = false;
  std::size_t trials_ = 0;  // under way
  struct Roomy {            // nodes of a list that were not full then
    std::vector<NodeId> nodes;
    std::size_t full_then = 0;
  };
  std::unordered_map<const std::vector<NodeId>*, Roomy> roomy_;
};

// What if some jobs were not there: the profile shows it for the life of this object.
class Profile::Trial {
 public:
  explicit Trial(Profile& profile) : profile_(profile) { ++profile_.trials_; }
  ~Trial();
  Trial(const Trial&) = delete;
  Trial& operator=(const Trial&) = delete;

  void vacate(const Job& job);  // as if it had left already
  void lend(const Job& job);    // as if its CPUs were free, and nothing else of it

 private:
  void give(const Job& job, void (*back)(Free&, const NodeShare&));

  Profile& profile_;
  std::map<NodeId, Entry> before_;  // the entries that were changed
};

}  // namespace muster::sched
