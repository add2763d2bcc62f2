// Vetting: passes submissions and updates of jobs by the site's submit scripts before the core sees
// them. The loop does not wait: a request goes on when its script has answered.
#pragma once

#include <functional>
#include <memory>

#include "controller/hooks/vetting.h"
#include "controller/ledger/host.h"
#include "io/net/server.h"
#include "slurmctld/submit_scripts.h"
#include "slurmctld/users/shares.h"

namespace muster::daemon {

class Vetting {
 public:
  struct World {
    io::Server& server;
    FairShares& shares;
    controller::Authority authority;
    std::function<std::shared_ptr<const controller::Published>()> published;  // on any thread
    std::function<Time()> now;                                                // likewise
    std::function<void(std::function<void()>)> post;                          // to the loop
  };
  // Goes on with the request, on the loop, if the client is still there.
  using Then = std::function<void(wire::Request, const controller::SiteSays&)>;

  Vetting(SubmitScripts& scripts, World world) : scripts_(scripts), world_(std::move(world)) {}

  // Nothing else is read from the connection until the scripts have answered. A request that they
  // refuse is answered here.
  void ask(controller::ReplyTo to, controller::Caller caller, wire::Request request,
           std::size_t bytes, Then then);

 private:
  struct Question;
  struct Verdict;
  Verdict verdict_on(Question& question);
  void carry_out(controller::ReplyTo to, Question& question, Verdict& verdict);

  SubmitScripts& scripts_;
  const World world_;
  io::LogLimit faults_{100, Millis{10000}};
};

}  // namespace muster::daemon
