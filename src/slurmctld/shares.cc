// What one user's requests may take of slurmctld's threads: he gets his part of those that answer,
// waits for his turn, and is told to slow down where too much of his waits already.
#include <fmt/format.h>

#include "base/text/slow_down.h"
#include "config/controller_words.h"
#include "io/log.h"
#include "slurmctld/service.h"

namespace muster::daemon {

namespace {

constexpr Millis kTryAgain{1000};

// What ends something, or waits for it, costs nothing and is better done early.
bool is_free(const wire::Request& request) {
  return std::holds_alternative<wire::ReleaseRequest>(request) ||
         std::holds_alternative<wire::WaitJobRequest>(request) ||
         std::holds_alternative<wire::PingRequest>(request);
}

}  // namespace

void Service::set_limits() {
  const config::ControllerWords words = config::controller_words(configuration_.conf);
  rate_limit_.set({.enabled = words.rl_enable,
                   .bucket_size = words.rl_bucket_size,
                   .refill_rate = words.rl_refill_rate,
                   .refill_period = Seconds{words.rl_refill_period},
                   .table_size = words.rl_table_size,
                   .log_every = Seconds{words.rl_log_freq}});
  if (server_) server_->set_max_user_connections(words.max_user_connections);
}

bool Service::is_slowed_down(controller::ReplyTo to, const io::Peer& peer,
                             const wire::Request& request) {
  if (is_operator(peer) || is_free(request)) return false;
  const Time now = current_time();
  const auto wait = rate_limit_.take(peer.uid, now);
  if (!wait) return false;
  if (rate_limit_.is_to_be_logged(peer.uid, now))
    rate_log_.write(io::LogLevel::info,
                    fmt::format("uid {} asks more than SlurmctldParameters=rl_bucket_size and "
                                "rl_refill_rate allow: it has to wait",
                                peer.uid.value));
  to.is_all = false;  // it asks again
  reply(to, slow_down(*wait));
  return true;
}

void Service::begin_fairly(io::FairPool& pool, controller::ReplyTo to, Uid user, std::size_t bytes,
                           std::function<void()> work) {
  server_->pause(to.connection);
  const bool is_queued = pool.run({.user = user,
                                   .is_operator = is_operator(user),
                                   .bytes = bytes,
                                   .run = [this, to, work = std::move(work)] {
                                     if (server_->is_open(to.connection)) work();
                                   }});
  if (is_queued) return;
  server_->resume(to.connection);
  to.is_all = false;
  reply(to, slow_down(kTryAgain));
}

void Service::run_fairly(io::FairPool& pool, controller::ReplyTo to, Uid user, std::size_t bytes,
                         std::function<void()> work) {
  begin_fairly(pool, to, user, bytes, [this, to, work = std::move(work)] {
    work();
    server_->resume(to.connection);
  });
}

// On the loop itself a user gets one short answer in each round, and none while he has others
// waiting: however many ask, the others' requests are not kept waiting.
bool Service::may_answer_here(Uid user) {
  if (is_operator(user)) return true;
  return !answers_->is_busy_for(user) && answered_here_.insert(user).second;
}

void Service::run_aside(controller::ReplyTo to, Uid user, std::function<wire::Answer()> work,
                        std::function<void(wire::Answer)> done) {
  run_fairly(*trials_, to, user, 0, [this, to, work = std::move(work), done = std::move(done)] {
    post([this, to, done, answer = work()]() mutable {
      if (connections_.contains(to.connection)) done(std::move(answer));
    });
  });
}

}  // namespace muster::daemon
