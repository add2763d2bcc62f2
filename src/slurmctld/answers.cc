// Answers queries and sacct, in parts, and makes trial plans; users take turns.
#include <future>
#include <memory>
#include <new>
#include <utility>

#include <fmt/format.h>

#include "accounting/query.h"
#include "accounts/records.h"
#include "base/codec/rough_size.h"
#include "base/text/strings.h"
#include "controller/views/visibility.h"
#include "io/log.h"
#include "io/wall_clock.h"
#include "slurmctld/service.h"
#include "wire/parts.h"

namespace muster::daemon {

namespace {

// What is no list comes with the first part.
controller::QueryAnswer::Part next_part(wire::AccountsReply& whole, std::size_t& next) {
  wire::AccountsReply part{.version = std::exchange(whole.version, 0),
                           .committed = std::exchange(whole.committed, false)};
  std::size_t bytes = 0;
  for (; next < whole.rows.size() && bytes < wire::kPartBytes; ++next) {
    bytes += rough_size(whole.rows[next]);
    part.rows.push_back(std::move(whole.rows[next]));
  }
  return {std::move(part), next < whole.rows.size()};
}

// Sends the rows of an answer in parts.
void send_rows(FairShares& shares, controller::ReplyTo to, Uid user,
               std::shared_ptr<wire::AccountsReply> whole) {
  shares.send_in_parts(
      shares.sacct(), to, user,
      std::make_shared<FairShares::PartSource>(
          [whole, next = std::size_t{0}]() mutable { return next_part(*whole, next); }));
}

// What it takes to answer sacctmgr and sreport about accounting's records.
struct RecordsDesk {
  AccountingFeed& accounting;  // it has a store
  FairShares& shares;
  io::Server& server;
  KnownUsers& users;
  const controller::Timekeeper& timekeeper;
};
struct RecordsAsker {
  std::shared_ptr<const controller::Published> state;
  controller::Viewer viewer;
  bool operates = false;
};
accounts::RecordsViewer viewer_of(const RecordsAsker& asker, KnownUsers& users) {
  const Cluster& state = asker.state->cluster;
  const PrivateData& hidden = state.settings().private_data;
  accounts::RecordsViewer viewer;
  viewer.operates = asker.operates;
  viewer.sees_nodes = asker.operates || !hidden.nodes;
  viewer.sees_reservations = asker.operates || !hidden.reservations;
  viewer.sees_usage = [kept = asker.state,
                       visible = std::make_shared<controller::Visibility>(state, asker.viewer)](
                          const AssociationKey& key) { return visible->sees_share(key); };
  viewer.name_of = [&users](Uid uid) { return users.name_of(uid); };
  return viewer;
}

void answer(const RecordsDesk& desk, controller::ReplyTo to, Uid user,
            accounts::RecordsViewer viewer, const wire::AccountsRequest& request) {
  auto finish = [&](wire::Answer told) {
    send_part(desk.server, to, std::move(told), false);
    desk.server.resume(to.connection);
  };
  desk.accounting.feed(AccountingFeed::Rows::all);
  if (request.entity == wire::Entity::usage)
    if (auto ok = desk.accounting.roll_up_all(); !ok) return finish(ok.error());
  const Cluster& known = desk.accounting.ingested().cluster;
  viewer.is_known = [&known](const JobRecord& row) {
    const Job* job = known.jobs.find(row.job);
    return job && job->submitted == row.submitted;
  };
  auto whole = std::make_shared<wire::AccountsReply>(accounts::answer_of_records(
      desk.accounting.store(), viewer, request, desk.timekeeper.at(io::steady_clock())));
  if (whole->committed) io::log_info("accounting: {} jobs got their end", whole->rows.size());
  if (whole->rows.empty()) return finish(std::move(*whole));
  send_rows(desk.shares, to, user, std::move(whole));
}

// On accounting's thread, in turn with other users.
void answer_records(RecordsDesk desk, controller::ReplyTo to, const RecordsAsker& asker,
                    const wire::AccountsRequest& request) {
  const Uid user = asker.viewer.uid;
  auto viewer = viewer_of(asker, desk.users);
  desk.shares.begin(desk.shares.sacct(), to, user, 0, [desk, to, user, viewer, request] {
    auto over =
        std::make_shared<std::promise<void>>();  // owned by the work, even if that is dropped
    const auto is_over = over->get_future();
    desk.accounting.post([desk, to, user, viewer, request, over = std::move(over)] {
      try {
        answer(desk, to, user, viewer, request);
      } catch (const std::bad_alloc&) {
        send_part(desk.server, to,
                  Error{ErrorCode::too_large, "there is not enough memory for the answer"}, false);
        desk.server.resume(to.connection);
      }
    });
    is_over.wait();
  });
}

std::string kept_elsewhere(const DatabaseLink& link) {
  return fmt::format("slurmdbd at {} keeps the accounts: ask it", link.address());
}

}  // namespace

// Answers a query. Long answers are made by the pool, so that they do not delay other users; they
// show the state at the time of their turn.
void Service::on_query(controller::ReplyTo to, const io::Peer& peer, wire::Request query,
                       std::size_t bytes) {
  if (auto ok = controller::check_query(query); !ok) return reply(to, ok.error());
  const Uid user = peer.uid;
  const bool is_short =
      controller::has_short_answer(*published_, query) && shares_->may_answer_here(user);
  const MessageType type = type_of(query);
  auto begin = [this, type, user, viewer = viewer_of(peer), query = std::move(query)] {
    const MessageTimer timer(messages_, type, user);
    return std::make_shared<controller::QueryAnswer>(published(), viewer, query, current_time());
  };
  auto send = [this, to, type, user, begin = std::move(begin)] {
    auto next = [this, type, user, answer = begin()] {
      const MessageTimer timer(messages_, type, user);
      return answer->next();
    };
    shares_->send_in_parts(shares_->answers(), to, user,
                           std::make_shared<FairShares::PartSource>(std::move(next)));
  };
  if (is_short) return send();
  shares_->begin(shares_->answers(), to, user, bytes, std::move(send));
}

// Answers sacct. The accounting's thread begins each listing. The requests wait for it in a pool,
// so that users take turns.
void Service::ask_accounting(controller::ReplyTo to, const io::Peer& peer,
                             const wire::AccountingRequest& request) {
  if (!accounting_.has_store())
    return reply(to, Error{ErrorCode::failure, "Slurm accounting storage is disabled"});
  if (link_) return reply(to, Error{ErrorCode::failure, kept_elsewhere(*link_)});
  const auto only_of =
      controller::Visibility(published_->cluster, viewer_of(peer)).only_records_of();
  auto list = [this, to, only_of, request, type = type_of(wire::Request(request)),
               user = peer.uid] {
    const MessageTimer timer(messages_, type, user);
    accounting_.feed(AccountingFeed::Rows::all);
    auto found = accounting::Listing::make(accounting_.store(), request, current_time(), only_of);
    if (!found) {
      reply(to, found.error());
      return server_->resume(to.connection);
    }
    auto listing = std::make_shared<accounting::Listing>(std::move(*found));
    auto source = std::make_shared<FairShares::PartSource>(
        [this, listing, type, user]() -> controller::QueryAnswer::Part {
          const MessageTimer part_timer(messages_, type, user);
          auto rows = listing->next(accounting_.store(), wire::kPartBytes);
          if (!rows) return {rows.error(), false};
          const bool more = !rows->empty();  // the last part is an empty one
          return {wire::AccountingReply{std::move(*rows)}, more};
        });
    shares_->send_in_parts(shares_->sacct(), to, user, std::move(source));
  };
  shares_->begin(shares_->sacct(), to, peer.uid, 0, [this, to, list = std::move(list)] {
    auto over =
        std::make_shared<std::promise<void>>();  // owned by the work, even if that is dropped
    const auto is_over = over->get_future();
    accounting_.post([this, to, list, over = std::move(over)] {
      try {
        list();
      } catch (const std::bad_alloc&) {
        reply(to, Error{ErrorCode::too_large, "there is not enough memory for the answer"});
        server_->resume(to.connection);
      }
    });
    is_over.wait();
  });
}

// Answers sacctmgr, in turn with other users, on the accounts' thread. A change is answered once
// the core has heard of it and that is durable as well.
void Service::ask_accounts(controller::ReplyTo to, const io::Peer& peer,
                           const wire::AccountsRequest& request) {
  if (!accounts_.exist())
    return reply(
        to, wire::AccountsReply{.refusal = wire::AccountsNote{
                                    .problem = wire::AccountsProblem::not_supported,
                                    .entity = request.entity,
                                    .detail = link_ ? kept_elsewhere(*link_)
                                                    : "Slurm accounting storage is disabled"}});
  if (accounts::is_of_records(request.entity)) {
    if (link_) return reply(to, Error{ErrorCode::failure, kept_elsewhere(*link_)});
    if (!accounting_.has_store())
      return reply(to, Error{ErrorCode::failure, "Slurm accounting storage is disabled"});
    const bool operates = level_of(peer) >= AdminLevel::operates;
    return answer_records({accounting_, *shares_, *server_, users_, timekeeper_}, to,
                          {published_, viewer_of(peer), operates}, request);
  }
  shares_->begin(shares_->sacct(), to, peer.uid, 0, [this, to, peer, request] {
    auto over = std::make_shared<std::promise<void>>();
    const auto is_over = over->get_future();
    accounts_.post([this, to, peer, request, over = std::move(over)] {
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

void Service::answer_accounts(controller::ReplyTo to, const io::Peer& peer,
                              const wire::AccountsRequest& request) {
  const Text user = users_.name_of(peer.uid);
  auto answer = std::make_shared<accounts::Answer>(
      accounts_.answer(user, options_.is_operator(peer), request, current_time()));
  if (answer->reply.committed) io::log_info("accounts: {}", accounts::change_text(user, request));
  if (answer->reply.rows.empty()) {
    server_->resume(to.connection);
    if (answer->news.empty()) return reply(to, std::move(answer->reply));
    return post([this, to, answer] {
      core_->on_accounts(answer->news, to, std::move(answer->reply), current_time());
    });
  }
  send_rows(*shares_, to, peer.uid, std::shared_ptr<wire::AccountsReply>(answer, &answer->reply));
}

void Service::run_aside(controller::ReplyTo to, Uid user, std::function<wire::Answer()> work,
                        std::function<void(wire::Answer)> done) {
  shares_->run(shares_->trials(), to, user, 0,
               [this, to, work = std::move(work), done = std::move(done)] {
                 wire::Answer answer;
                 try {
                   answer = work();
                 } catch (const std::bad_alloc&) {
                   answer = Error{ErrorCode::too_large, {}};
                 }
                 post([this, to, done, answer = std::move(answer)]() mutable {
                   if (!connections_.contains(to.connection)) return;
                   try {
                     done(std::move(answer));
                   } catch (const std::bad_alloc&) {  // neither for the request nor for a refusal
                     server_->close(to.connection);
                   }
                 });
               });
}

}  // namespace muster::daemon
