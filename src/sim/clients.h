// Clients: the users of a simulated cluster. They submit jobs, send requests of every other kind,
// and keep the allocations that they get. Answers are counted.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string_view>

#include "controller/core.h"
#include "sim/schedule.h"
#include "sim/users.h"
#include "sim/world.h"

namespace muster::sim {

class Clients {
 public:
  // The controller, while one is running.
  class ControllerAccess {
   public:
    virtual ~ControllerAccess() = default;
    virtual controller::Core* controller() = 0;
    virtual Time controllers_time() const = 0;
  };
  Clients(ControllerAccess& controller, const WorldOptions& options, Schedule& schedule,
          Verdict& verdict)
      : controller_(controller), options_(options), schedule_(schedule), verdict_(verdict) {}

  void plan_requests(const ClusterConfig& config);
  void on_reply(controller::ReplyTo to, const wire::Answer& answer);
  // Sends what an administrator does so that all jobs can end.
  void repair();
  void calm_down() { calm_ = true; }

  const std::set<JobId>& acknowledged() const { return acknowledged_; }
  const std::set<JobId>& allocations() const { return allocations_; }  // jobs without a script

 private:
  void plan_wishes(const ClusterConfig& config);
  void submit();
  void interfere();
  void keep_allocation(JobId job);
  void ask(wire::Request request, std::string_view verb, Uid by = {}, std::uint64_t connection = 1);

  static constexpr std::uint64_t kFirstKeeper = 100;  // the connection of a salloc
  ControllerAccess& controller_;
  const WorldOptions& options_;
  Schedule& schedule_;
  Verdict& verdict_;
  bool calm_ = false;
  std::uint64_t request_ = 0, keepers_ = 0;
  std::map<std::uint64_t, std::string_view> asked_;  // requests without an answer so far
  std::set<std::uint64_t> allocating_;               // requests for an allocation
  std::set<JobId> acknowledged_, allocations_;
};

}  // namespace muster::sim
