// What one user's requests may take of slurmctld's threads: he gets his part of those that answer,
// waits for his turn, and is told to slow down where too much of his waits already.
#include <fmt/format.h>

#include <future>
#include <new>

#include "base/slow_down.h"
#include "config/controller_words.h"
#include "controller/filter.h"
#include "controller/view.h"
#include "daemon/slurmctld_service.h"
#include "io/log.h"

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

void Service::run_fairly(io::FairPool& pool, controller::ReplyTo to, Uid user, std::size_t bytes,
                         std::function<void()> work) {
  server_->pause(to.connection);
  const bool is_queued = pool.run({.user = user,
                                   .is_operator = is_operator(user),
                                   .bytes = bytes,
                                   .run = [this, to, work = std::move(work)] {
                                     if (!server_->is_open(to.connection)) return;
                                     work();
                                     server_->resume(to.connection);
                                   }});
  if (is_queued) return;
  server_->resume(to.connection);
  to.is_all = false;
  reply(to, slow_down(kTryAgain));
}

// On the loop itself a user gets one short answer in each round, and none while he has others
// waiting: however many ask, the others' requests are not kept waiting.
bool Service::may_answer_here(Uid user) {
  if (is_operator(user)) return true;
  return !answers_->is_busy_for(user) && answered_here_.insert(user).second;
}

// Nobody else waits for a long answer.
void Service::on_query(controller::ReplyTo to, const io::Peer& peer, wire::Request query,
                       std::size_t bytes) {
  if (auto ok = controller::check_query(query); !ok) return reply(to, ok.error());
  auto send = [this, to, viewer = viewer_of(peer)](const controller::Published& published,
                                                   const wire::Request& asked) {
    try {
      controller::answer_query(
          published, viewer, asked, current_time(),
          [&](wire::Answer part, bool more) { send_part(to, std::move(part), more); });
    } catch (const std::bad_alloc&) {
      reply(to, Error{ErrorCode::too_large, "there is not enough memory for the answer"});
    }
  };
  if (controller::has_short_answer(*published_, query) && may_answer_here(peer.uid))
    return send(*published_, query);
  run_fairly(*answers_, to, peer.uid, bytes,
             [this, send, query = std::move(query)] { send(*published(), query); });
}

void Service::run_aside(controller::ReplyTo to, Uid user, std::function<wire::Answer()> work,
                        std::function<void(wire::Answer)> done) {
  run_fairly(*trials_, to, user, 0, [this, to, work = std::move(work), done = std::move(done)] {
    post([this, to, done, answer = work()]() mutable {
      if (connections_.contains(to.connection)) done(std::move(answer));
    });
  });
}

// The accounting's thread is the only one that reads its file; what waits for it waits here, so
// that users take turns.
void Service::run_for_sacct(controller::ReplyTo to, Uid user, std::function<void()> work) {
  run_fairly(*sacct_, to, user, 0, [this, work = std::move(work)] {
    auto over =
        std::make_shared<std::promise<void>>();  // kept with the work, also if that is dropped
    const auto is_over = over->get_future();
    accounting_thread_->post([work, over = std::move(over)] { work(); });
    is_over.wait();
  });
}

}  // namespace muster::daemon
