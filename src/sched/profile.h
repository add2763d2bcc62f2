// Profile: what every node has to give, now and later. Running jobs leave at their time limits;
// jobs that were promised a later start have their part from then on, counted but not yet chosen;
// reservations keep others out.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string_view>
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
  Uid user;
  bool exclusive_user = false;
  std::uint32_t holders = 0;  // CPUs that so many jobs of the partition share already will do
};

class Profile {
 public:
  Profile(const Cluster& cluster, Time now);

  bool available(NodeId node) const;
  // What can be used there during the whole window; nullptr where nothing can. Valid until the next
  // question about this node.
  const Free* during(NodeId node, const Window& window);
  // The times after now at which more may become free there, ascending.
  std::vector<Time> changes(NodeId node);

  void start(const NodeShare& share, const Window& by);  // it runs until the window's end
  void promise(const NodeShare& share, const Window& to);
  // Reservations of others are all that keeps this one away.
  bool is_reserved(NodeId node, const Window& window) const;
  // Nothing more is given there.
  void bar(NodeId node);
  bool is_open(NodeId node) const { return available(node) && !entries_[node.value].barred; }
  std::size_t barred() const { return barred_; }

  std::uint64_t questions() const { return questions_; }
  // A copy was asked instead: its questions count, and so does making it.
  void count_trial(const Profile& trial) {
    constexpr std::size_t kEntriesCopiedInAQuestionsTime = 8;
    questions_ = trial.questions_ + entries_.size() / kEntriesCopiedInAQuestionsTime;
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
  struct Entry {
    bool available = false, barred = false;
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

  Entry& entry(NodeId node) { return entries_[node.value]; }
  void learn_releases(Entry& entry, NodeId node);
  IdSet shareable_at(const Entry& entry, const Window& window) const;
  bool open_to(const Entry& entry, NodeId node, const Window& window) const;
  std::uint32_t cpus_used_by(const Partition& partition, const Entry& entry, NodeId node) const;
  Access access_to(const Entry& entry, NodeId node, const Window& window) const;
  static void keep_promises(const Entry& entry, const Window& window, const Access& access,
                            Free& free);

  const Cluster& cluster_;
  Time now_;
  std::vector<Entry> entries_;     // by node id
  std::deque<NodeShare> started_;  // shares of jobs that this plan starts
  std::uint64_t questions_ = 0;
  std::size_t barred_ = 0;
};

// What if some jobs were not there: the profile shows it for the life of this object.
class Profile::Trial {
 public:
  explicit Trial(Profile& profile) : profile_(profile) {}
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
