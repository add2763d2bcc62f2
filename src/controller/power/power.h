// Power: switches idle nodes off and needed nodes on, and reboots nodes.
#pragma once

#include <vector>

#include "controller/allocation/allocations.h"
#include "controller/ledger/ledger.h"
#include "controller/links/node_links.h"
#include "controller/nodes/power_rules.h"

namespace muster::controller {

class Power {
 public:
  Power(Ledger& ledger, NodeLinks& links, Allocations& allocations)
      : ledger_(ledger), links_(links), allocations_(allocations) {}

  void tick();
  // Powers up the nodes of a job that starts: as many as ResumeRate allows now, the others on later
  // ticks.
  void up_for(const Job& job);
  void reboot_for(const Job& job);
  // scontrol update state=power_up: powers up those of the nodes that are off or powering down.
  void up_again(const std::vector<NodeId>& nodes);
  void on_clock_step(Millis by);

 private:
  void tick_power();
  void tick_reboots();
  void end_power_phases(const PowerRules& rules);
  void set_power(NodeId id, PowerPhase phase);
  void power_down(const std::vector<NodeId>& nodes);
  void power_up(const std::vector<NodeId>& nodes);
  void run_program(SiteProgramRun::Which which, const std::vector<NodeId>& nodes);
  void issue_reboot(NodeChanged change);

  Ledger& ledger_;
  NodeLinks& links_;
  Allocations& allocations_;
  SwitchingRate suspend_rate_, resume_rate_;
};

}  // namespace muster::controller
