// FairShares: bounds what each user's requests take of slurmctld's threads: a user gets a share of
// the threads that answer, waits for turns, and is told to slow down if too many requests wait
// already.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <set>

#include "config/slurm_conf.h"
#include "controller/ledger/host.h"
#include "controller/rate_limit.h"
#include "controller/views/query.h"
#include "io/log_limit.h"
#include "io/loop/fair_pool.h"
#include "io/net/server.h"

namespace muster::daemon {

class FairShares {
 public:
  using PartSource = std::function<controller::QueryAnswer::Part()>;

  // Once `stopping` is set, the loop leaves the shares alone.
  FairShares(io::Loop& loop, io::Server& server, Uid slurm_user, const std::atomic<bool>& stopping);
  void stop();

  // Queries; plans for --test-only, --immediate and muster explain; sacct.
  io::FairPool& answers() { return answers_; }
  io::FairPool& trials() { return trials_; }
  io::FairPool& sacct() { return sacct_; }

  // Runs work for one user, in turn with other users. Meanwhile nothing else is read from the
  // connection. The work is dropped if the connection ends. If the user has too much work waiting,
  // the answer is slow_down.
  void run(io::FairPool& pool, controller::ReplyTo to, Uid user, std::size_t bytes,
           std::function<void()> work);
  // The same, but the work itself resumes the connection. alike: operators wait for their turns
  // like other users.
  enum class Turns : std::uint8_t { operators_first, alike };
  void begin(io::FairPool& pool, controller::ReplyTo to, Uid user, std::size_t bytes,
             std::function<void()> work, Turns turns = Turns::operators_first);
  // Sends a long answer in parts, each of which is made when the reader wants it.
  void send_in_parts(io::FairPool& pool, controller::ReplyTo to, Uid user,
                     std::shared_ptr<PartSource> source);

  // --- on the loop ---
  void set_limits(const config::ControllerWords& words);
  bool is_slowed_down(controller::ReplyTo to, Uid user, const wire::Request& request, Time now);
  bool may_answer_here(Uid user);
  std::size_t busy_threads() const { return answers_.busy() + trials_.busy() + sacct_.busy(); }
  void begin_round() { answered_here_.clear(); }

 private:
  bool is_operator(Uid user) const;

  io::Loop& loop_;
  io::Server& server_;
  Uid slurm_user_;
  const std::atomic<bool>& stopping_;
  std::set<Uid> answered_here_;  // users answered by the loop in this round
  controller::RateLimit rate_limit_;
  io::LogLimit rate_log_{20, Millis{10000}};
  // Declared last, so that they stop before the members they use are destroyed.
  io::FairPool answers_, trials_, sacct_;
};

// The time until the next check whether a slow reader has read.
inline constexpr std::chrono::milliseconds kLookAgain{5};

// On any thread. `more`: other parts of the answer follow.
void send_part(io::Server& server, controller::ReplyTo to, wire::Answer answer, bool more);

}  // namespace muster::daemon
