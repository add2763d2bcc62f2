// Answers commands: sacct, sacctmgr, and what administrators ask of the daemon itself.
#include <future>
#include <new>

#include <fmt/format.h>

#include "accounting/query.h"
#include "accounts/records.h"
#include "base/text/strings.h"
#include "controller/submit/request_check.h"
#include "io/log.h"
#include "io/wall_clock.h"
#include "slurmdbd/daemon.h"
#include "wire/parts.h"

namespace muster::dbd {

namespace {

// What is no list comes with the first part.
controller::QueryAnswer::Part next_part(wire::AccountsReply& whole, std::size_t& next) {
  wire::AccountsReply part{.version = std::exchange(whole.version, 0)};
  std::size_t bytes = 0;
  for (; next < whole.rows.size() && bytes < wire::kPartBytes; ++next) {
    bytes += rough_size(whole.rows[next]);
    part.rows.push_back(std::move(whole.rows[next]));
  }
  return {std::move(part), next < whole.rows.size()};
}

// "Until now", where clocks differ a little: a job that was submitted just now is not in the
// future.
constexpr Seconds kClocksDiffer{5};

std::string absent_text(const std::vector<Text>& missed) {
  std::vector<std::string> names;
  for (const Text& name : missed) names.push_back(name.str());
  return fmt::format(
      "slurmctld of cluster {} does not answer slurmdbd: what happened there lately may be missing",
      join(names, ", "));
}

// Waits for an answer of the accounts' thread; a value without content if that is stopped.
template <class T>
T ask_site(SiteKeeper& site, std::function<T()> question) {
  auto told = std::make_shared<std::promise<T>>();
  auto answer = told->get_future();
  site.post([told, question = std::move(question)] { told->set_value(question()); });
  told.reset();  // so that it is gone if the work is dropped
  try {
    return answer.get();
  } catch (const std::future_error&) {
    return T{};
  }
}

}  // namespace

void Daemon::reply(controller::ReplyTo to, wire::Answer answer) {
  daemon::send_part(*server_, to, std::move(answer), false);
}

void Daemon::answer(controller::ReplyTo to, const io::Peer& peer, const wire::Request& request) {
  if (auto ok = controller::check_request(RequestLimits{}, request); !ok)
    return reply(to, ok.error());
  if (const auto* records = std::get_if<wire::AccountingRequest>(&request))
    return list_records(to, peer, *records);
  if (const auto* accounts = std::get_if<wire::AccountsRequest>(&request))
    return ask_accounts(to, peer, *accounts);
  if (std::holds_alternative<wire::PingRequest>(request))
    return reply(
        to, wire::PingReply{
                .host = options_.host_name, .mode = "primary", .epoch = {}, .started = started_});
  if (std::holds_alternative<wire::ReconfigureRequest>(request))
    return administrate(to, peer, [this, to] { reload(to); });
  if (std::holds_alternative<wire::ShutdownRequest>(request))
    return administrate(to, peer, [this, to] {
      io::log_info("slurmdbd ends because an administrator asked for it");
      reply(to, wire::Done{});
      loop_->after(Millis{200}, options_.stop);
    });
  reply(to, Error{ErrorCode::failure, "slurmdbd cannot answer this: ask slurmctld"});
}

// For root, SlurmUser and administrators of the site.
void Daemon::administrate(controller::ReplyTo to, const io::Peer& peer,
                          std::function<void()> work) {
  if (is_operator(peer)) return work();
  site_.post([this, to, uid = peer.uid, work = std::move(work)] {
    if (site_.level_of(users_.fresh_name_of(uid)) == AdminLevel::administers) return work();
    reply(to, Error{ErrorCode::user_id_missing, {}});
  });
}

void Daemon::reload(controller::ReplyTo to) {
  auto fresh = options_.load();
  if (!fresh) {
    io::log_error("the configuration in force is kept: {}", fresh.error().text());
    if (to.connection != 0) reply(to, fresh.error());
    return;
  }
  {
    const std::lock_guard lock(conf_mutex_);
    conf_ = std::move(*fresh);
  }
  io::log_info("slurmdbd.conf was read again; where the database is counts after a restart");
  if (to.connection != 0) reply(to, wire::Done{});
}

void Daemon::reconfigure() {
  loop_->run_blocking([this] { reload({}); });
}

// sacct's questions are about its own cluster, unless it names others. The answer waits until their
// controllers have sent what they have, so that a user finds the job that was submitted just now.
void Daemon::list_records(controller::ReplyTo to, const io::Peer& peer,
                          const wire::AccountingRequest& request) {
  shares_->begin(shares_->sacct(), to, peer.uid, 0, [this, to, peer, request] {
    wire::AccountingRequest whole = request;
    if (whole.clusters.empty())
      whole.clusters = ask_site<std::vector<Text>>(site_, [this] { return site_.clusters(); });
    for (Text& name : whole.clusters) name = Text(lower(name));
    const auto missed = controllers_.flush(whole.clusters, kFlushPatience);
    if (!missed.empty())
      daemon::send_part(*server_, to, wire::Notice{Text(absent_text(missed))}, true);
    send_listing(to, peer, std::move(whole));
  });
}

void Daemon::send_listing(controller::ReplyTo to, const io::Peer& peer,
                          wire::AccountingRequest request) {
  const PrivateData hidden = conf().private_data;
  bool sees_all = is_operator(peer) || (!hidden.jobs && !hidden.usage);
  if (!sees_all) {
    const Text name = users_.fresh_name_of(peer.uid);
    const auto level = ask_site<AdminLevel>(site_, [this, name] { return site_.level_of(name); });
    sees_all = level >= AdminLevel::operates;
  }
  auto found = accounting::Listing::make(records_, request, io::wall_clock() + kClocksDiffer,
                                         sees_all ? std::nullopt : std::optional<Uid>(peer.uid));
  if (!found) {
    reply(to, found.error());
    return server_->resume(to.connection);
  }
  auto listing = std::make_shared<accounting::Listing>(std::move(*found));
  auto source = std::make_shared<daemon::FairShares::PartSource>(
      [this, listing]() -> controller::QueryAnswer::Part {
        auto rows = listing->next(records_, wire::kPartBytes);
        if (!rows) return {rows.error(), false};
        const bool more = !rows->empty();  // the last part is an empty one
        return {wire::AccountingReply{std::move(*rows)}, more};
      });
  shares_->send_in_parts(shares_->sacct(), to, peer.uid, std::move(source));
}

// In turn with other users, on the accounts' thread.
void Daemon::ask_accounts(controller::ReplyTo to, const io::Peer& peer,
                          const wire::AccountsRequest& request) {
  if (accounts::is_of_records(request.entity))
    return reply(
        to, wire::AccountsReply{
                .refusal = wire::AccountsNote{
                    .problem = wire::AccountsProblem::not_supported,
                    .entity = request.entity,
                    .detail = "slurmdbd keeps no events, reservations and usage of clusters yet"}});
  shares_->begin(shares_->answers(), to, peer.uid, 0, [this, to, peer, request] {
    auto over = std::make_shared<std::promise<void>>();
    const auto is_over = over->get_future();
    site_.post([this, to, peer, request, over = std::move(over)] {
      try {
        answer_accounts(to, peer, request);
      } catch (const std::bad_alloc&) {
        reply(to, Error{ErrorCode::too_large, "there is not enough memory for the answer"});
        server_->resume(to.connection);
      }
    });
    is_over.wait();
  });
}

void Daemon::answer_accounts(controller::ReplyTo to, const io::Peer& peer,
                             const wire::AccountsRequest& request) {
  const Text user = users_.fresh_name_of(peer.uid);
  auto answer = std::make_shared<wire::AccountsReply>(
      site_.answer(user, is_operator(peer), conf().private_data, request, io::wall_clock()).reply);
  if (answer->committed) io::log_info("accounts: {}", accounts::change_text(user, request));
  if (answer->rows.empty()) {
    server_->resume(to.connection);
    return reply(to, std::move(*answer));
  }
  shares_->send_in_parts(
      shares_->answers(), to, peer.uid,
      std::make_shared<daemon::FairShares::PartSource>(
          [answer, next = std::size_t{0}]() mutable { return next_part(*answer, next); }));
}

}  // namespace muster::dbd
