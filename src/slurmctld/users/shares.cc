// Runs users' work on the pools, and sends answers in parts.
#include "slurmctld/users/shares.h"

#include <fmt/format.h>

#include <algorithm>
#include <new>
#include <thread>
#include <utility>

#include "base/codec/codec.h"
#include "base/text/slow_down.h"
#include "config/keys/settings.h"
#include "io/log.h"
#include "io/net/channel.h"
#include "wire/parts.h"

namespace muster::daemon {

namespace {

constexpr Millis kTryAgain{1000};
constexpr std::size_t kUnreadAnswersAtMost = 4 * wire::kPartBytes;

// One user gets at most half of the threads that answer queries.
io::FairPoolLimits answer_limits() {
  const std::size_t threads = std::clamp<std::size_t>(std::thread::hardware_concurrency(), 2, 8);
  return {.threads = threads, .running_per_user = threads / 2};
}
constexpr io::FairPoolLimits kTrialLimits{
    .threads = 2, .running_per_user = 1, .waiting_per_user = 16};

// Requests that end something, or wait for something, cost little and should not be delayed.
bool is_free(const wire::Request& request) {
  return std::holds_alternative<wire::ReleaseRequest>(request) ||
         std::holds_alternative<wire::WaitJobRequest>(request) ||
         std::holds_alternative<wire::PingRequest>(request);
}

}  // namespace

void send_part(io::Server& server, controller::ReplyTo to, wire::Answer answer, bool more) {
  std::string frame =
      encode(wire::ReplyFrame{.id = to.request, .more = more, .answer = std::move(answer)});
  if (frame.size() > io::kMaxFrameBytes) {
    // Lists come in parts, so this is a single item that should not be able to get so large.
    io::log_error("an answer of {} bytes is too large to be sent", frame.size());
    frame = encode(wire::ReplyFrame{
        .id = to.request,
        .more = false,
        .answer = Error{ErrorCode::too_large, "the answer is too large to be sent"}});
  }
  server.send(to.connection, std::move(frame));
  if (to.closes_after_reply && !more) server.finish(to.connection);
}

FairShares::FairShares(io::Loop& loop, io::Server& server, Uid slurm_user,
                       const std::atomic<bool>& stopping)
    : loop_(loop),
      server_(server),
      slurm_user_(slurm_user),
      stopping_(stopping),
      answers_("answers", answer_limits(), [&server](Uid user) { return server.may_answer(user); }),
      trials_("trials", kTrialLimits, [&server](Uid user) { return server.may_answer(user); }),
      sacct_("sacct", {}, [&server](Uid user) { return server.may_answer(user); }) {}

void FairShares::stop() {
  for (auto* pool : {&answers_, &trials_, &sacct_}) pool->stop();
}

bool FairShares::is_operator(Uid user) const { return user.value == 0 || user == slurm_user_; }

void FairShares::set_limits(const config::ControllerWords& words) {
  rate_limit_.set({.enabled = words.rl_enable,
                   .bucket_size = words.rl_bucket_size,
                   .refill_rate = words.rl_refill_rate,
                   .refill_period = Seconds{words.rl_refill_period},
                   .table_size = words.rl_table_size,
                   .log_every = Seconds{words.rl_log_freq}});
  server_.set_max_user_connections(words.max_user_connections);
}

bool FairShares::is_slowed_down(controller::ReplyTo to, Uid user, const wire::Request& request,
                                Time now) {
  if (is_operator(user) || is_free(request)) return false;
  const auto wait = rate_limit_.take(user, now);
  if (!wait) return false;
  if (rate_limit_.is_to_be_logged(user, now))
    rate_log_.write(
        io::LogLevel::info,
        fmt::format("uid {} sends more requests than SlurmctldParameters=rl_bucket_size and "
                    "rl_refill_rate allow: it must wait",
                    user.value));
  to.closes_after_reply = false;  // the client asks again
  send_part(server_, to, slow_down(*wait), false);
  return true;
}

void FairShares::begin(io::FairPool& pool, controller::ReplyTo to, Uid user, std::size_t bytes,
                       std::function<void()> work, Turns turns) {
  server_.pause(to.connection);
  const bool is_queued =
      pool.run({.user = user,
                .is_operator = turns == Turns::operators_first && is_operator(user),
                .bytes = bytes,
                .run = [this, to, work = std::move(work)] {
                  if (!server_.is_open(to.connection)) return;
                  try {
                    work();
                  } catch (const std::bad_alloc&) {
                    send_part(server_, to, Error{ErrorCode::too_large, {}}, false);
                    server_.resume(to.connection);
                  }
                }});
  if (is_queued) return;
  server_.resume(to.connection);
  to.closes_after_reply = false;
  send_part(server_, to, slow_down(kTryAgain), false);
}

void FairShares::run(io::FairPool& pool, controller::ReplyTo to, Uid user, std::size_t bytes,
                     std::function<void()> work) {
  begin(pool, to, user, bytes, [this, to, work = std::move(work)] {
    work();
    server_.resume(to.connection);
  });
}

// The loop itself gives each user at most one short answer per round, and none while the user has
// other work waiting. So a user with many queries does not delay others' requests.
bool FairShares::may_answer_here(Uid user) {
  if (is_operator(user)) return true;
  return !answers_.is_busy_for(user) && answered_here_.insert(user).second;
}

// The next part is made when the client has read most of the earlier ones, so a slow reader takes
// only a few MiB of memory and loses nothing. Runs on a thread of the pool, or on the loop. If the
// reader is behind, the rest is made at the user's next turn.
void FairShares::send_in_parts(io::FairPool& pool, controller::ReplyTo to, Uid user,
                               std::shared_ptr<PartSource> source) {
  for (bool more = true; more;) {
    const auto unread = server_.unsent_bytes(to.connection);
    if (!unread || stopping_) return;  // the reader is gone
    if (*unread > kUnreadAnswersAtMost)
      return loop_.after(kLookAgain, [this, &pool, to, user, source = std::move(source)] {
        if (stopping_) return;
        (void)pool.run(
            {.user = user,
             .is_operator = is_operator(user),
             .goes_on = true,
             .run = [this, &pool, to, user, source] { send_in_parts(pool, to, user, source); }});
      });
    try {
      controller::QueryAnswer::Part part = (*source)();
      more = part.more;
      send_part(server_, to, std::move(part.answer), more);
    } catch (const std::bad_alloc&) {
      more = false;
      send_part(server_, to,
                Error{ErrorCode::too_large, "there is not enough memory for the answer"}, false);
    }
  }
  if (!loop_.is_here()) server_.resume(to.connection);  // see begin
}

}  // namespace muster::daemon
