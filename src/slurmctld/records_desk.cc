// See records_desk.h.
#include "slurmctld/records_desk.h"

#include <future>
#include <new>
#include <utility>

#include "accounts/records.h"
#include "base/codec/rough_size.h"
#include "io/log.h"
#include "io/wall_clock.h"
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

}  // namespace

void send_rows(FairShares& shares, controller::ReplyTo to, Uid user,
               std::shared_ptr<wire::AccountsReply> whole) {
  shares.send_in_parts(
      shares.sacct(), to, user,
      std::make_shared<FairShares::PartSource>(
          [whole, next = std::size_t{0}]() mutable { return next_part(*whole, next); }));
}

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

}  // namespace muster::daemon
