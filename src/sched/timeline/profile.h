// Profile: what every node has to give, now and later (sched/timeline/node_profile.h says what
// counts), and how often somebody asked: that is what a plan's work is measured by.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>
#include <vector>

#include "model/cluster.h"
#include "sched/place/place.h"
#include "sched/timeline/node_index.h"
#include "sched/timeline/node_profile.h"
#include "sched/timeline/profile_notes.h"

namespace muster::sched {

class Profile {
 public:
  // The index speaks of this cluster.
  Profile(const Cluster& cluster, Time now, const NodeIndex& index, ProfileNotes& notes);
  ~Profile();
  Profile(const Profile&) = delete;
  Profile& operator=(const Profile&) = delete;

  bool available(NodeId node) const { return index_.is_available(node); }
  // What can be used there during the whole window; nullptr where nothing can. Valid until the next
  // question about this node.
  const Free* during(NodeId node, const Window& window);
  // What a node has now at most, no CPUs where it cannot be used: a look is cheaper than a
  // question.
  Rough rough(NodeId node);
  // Those of the nodes that may have something to give then. The list itself must stay where it is.
  const std::vector<NodeId>& worth_asking(const NodeList& nodes, const Window& window);
  // The times after now at which more may become free there, ascending. Valid until it is asked for
  // another node's.
  const std::vector<Time>& changes(NodeId node);
  // The job that holds the whole node, which nobody has to ask about: nothing can be used there
  // until it leaves, and then all. Unset where it is not as simple as that.
  NodeIndex::Sole sole(NodeId node) const {
    const ProfileNote& note = notes_[node.value];
    return note.entry > 0 || note.barred ? NodeIndex::Sole{} : index_.sole(node);
  }
  // Whether it can be as simple as that for this window.
  bool goes_by_soles(const Window& window) const;
  Time leaves_at(JobId job);
  std::size_t kinds() const { return index_.kinds(); }

  void start(const NodeShare& share, const Window& by);  // it runs until the window's end
  void promise(const NodeShare& share, const Window& to);
  // Reservations of others are all that keeps this one away.
  bool is_reserved(NodeId node, const Window& window);
  // Nothing more is given there.
  void bar(NodeId node);
  bool is_open(NodeId node) const { return available(node) && !notes_[node.value].barred; }
  std::size_t barred() const { return barred_; }
  // Could a job that holds CPUs alone get some there now?
  bool has_free_cpus(NodeId node) const { return is_open(node) && !is_full(node); }
  bool has_reservations() const { return !reservations_.empty(); }
  // Some node is one user's alone.
  bool has_private_nodes() const { return has_private_nodes_; }

  std::uint64_t questions() const {
    constexpr std::uint64_t kLooksToAQuestion = 8;
    return questions_ + looks_ / kLooksToAQuestion;
  }
  void count_questions(std::uint64_t answered) { questions_ += answered; }  // ... elsewhere
  Time now() const { return now_; }

  class Trial;
  class Closure;

 private:
  bool is_full(NodeId node) const {
    const ProfileNote& note = notes_[node.value];
    return note.entry > 0 ? note.full : index_.is_full(node);
  }
  NodeProfile& entry(NodeId node);
  void note_what_is_left(NodeId node);
  void unbar(NodeId node);

  const Cluster& cluster_;
  Time now_;
  const NodeIndex& index_;
  ProfileNotes& notes_;
  std::vector<NodeId> noted_;  // who has notes other than blank ones
  std::deque<NodeProfile> entries_;
  std::vector<Rough> roughs_;                     // parallel to the entries
  std::vector<const Reservation*> reservations_;  // that are not over
  std::set<const Reservation*> awaited_;          // lenders of nodes that jobs wait for
  std::deque<NodeShare> started_;                 // shares of jobs that this plan starts
  std::uint64_t questions_ = 0, looks_ = 0;
  std::size_t barred_ = 0;
  std::size_t filled_ = 0;  // nodes that became full
  bool has_private_nodes_ = false;
  std::size_t trials_ = 0;  // under way
  JobId leaver_;            // the one that was asked for last, and when it leaves
  std::vector<Time> leaves_{1};
  struct Roomy {  // nodes of a list that were not full then
    std::vector<NodeId> nodes;
    std::size_t filled_then = 0;
  };
  std::unordered_map<const NodeList*, Roomy> roomy_;
};

// What if some jobs were not there: the profile shows it for the life of this object.
class Profile::Trial {
 public:
  explicit Trial(Profile& profile) : profile_(profile) { ++profile_.trials_; }
  ~Trial();
  Trial(const Trial&) = delete;
  Trial& operator=(const Trial&) = delete;

  void vacate(const Job& job) { give(job, &NodeProfile::vacate); }  // as if it had left already
  void lend(const Job& job) { give(job, &NodeProfile::lend); }  // ... its CPUs, and nothing else

 private:
  void give(const Job& job, void (NodeProfile::*back)(const NodeShare&));

  Profile& profile_;
  std::map<NodeId, NodeProfile> before_;  // those that were changed
};

// Jobs that start together share no node: what one was given is closed to the next for the life of
// this object, which counts as so many questions.
class Profile::Closure {
 public:
  explicit Closure(Profile& profile) : profile_(profile) {}
  ~Closure();
  Closure(const Closure&) = delete;
  Closure& operator=(const Closure&) = delete;

  void close(const std::vector<NodeShare>& shares);

 private:
  Profile& profile_;
  std::vector<NodeId> closed_;
};

}  // namespace muster::sched
