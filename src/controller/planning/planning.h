// Planning: when the scheduler makes a plan, what its last plans said, and what readers see of
// them.
#pragma once

#include <map>
#include <memory>

#include "controller/ledger/ledger.h"
#include "sched/plan.h"

namespace muster::controller {

class Planning {
 public:
  using Loads = std::map<NodeId, NodeLoad>;

  Planning(Ledger& ledger, Host& host) : ledger_(ledger), host_(host) {}

  // Starts a plan for the working state, one at a time; the starts become events of a later batch.
  void begin_if_wanted();
  bool is_under_way() const { return planning_; }
  void on_planner_idle() { planning_ = false; }
  void keep(sched::Plan plan);  // as the latest plan

  // The reason for which a job waited until its start, as far as the last plans show it.
  Text why_it_waited(JobId job) const;

  Published published() const { return {ledger_.committed(), last_, loads_, last_at_, thorough_}; }
  void publish() { host_.publish(published()); }
  // Publishes changes that are not journalled, even if no commit follows.
  void publish_if_quiet() {
    if (!ledger_.has_open() && !ledger_.has_flight()) publish();
  }
  void set_loads(std::shared_ptr<const Loads> loads) { loads_ = std::move(loads); }
  void on_clock_step(Millis by);

 private:
  Ledger& ledger_;
  Host& host_;
  bool planning_ = false;
  std::shared_ptr<const sched::Plan> last_ = std::make_shared<sched::Plan>();
  std::shared_ptr<const sched::Plan> thorough_ = last_;  // the latest plan of the whole queue
  Time last_at_;
  Time last_deep_;
  std::shared_ptr<const Loads> loads_ = std::make_shared<Loads>();
};

}  // namespace muster::controller
