// Answers queries and sacct, in parts, and makes trial plans; users take turns.
#include <future>
#include <memory>
#include <new>
#include <utility>

#include "accounting/query.h"
#include "slurmctld/service.h"
#include "wire/parts.h"

namespace muster::daemon {

// Answers a query. Long answers are made by the pool, so that they do not delay other users; they
// show the state at the time of their turn.
void Service::on_query(controller::ReplyTo to, const io::Peer& peer, wire::Request query,
                       std::size_t bytes) {
  if (auto ok = controller::check_query(query); !ok) return reply(to, ok.error());
  const Uid user = peer.uid;
  const bool is_short =
      controller::has_short_answer(*published_, query) && shares_->may_answer_here(user);
  auto send = [this, to, user, viewer = viewer_of(peer), query = std::move(query)] {
    auto answer =
        std::make_shared<controller::QueryAnswer>(published(), viewer, query, current_time());
    shares_->send_in_parts(
        shares_->answers(), to, user,
        std::make_shared<FairShares::PartSource>([answer] { return answer->next(); }));
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
  const auto only_of =
      controller::Visibility(published_->cluster, viewer_of(peer)).only_records_of();
  auto list = [this, to, only_of, request, user = peer.uid] {
    accounting_.feed(AccountingFeed::Rows::all);
    auto found = accounting::Listing::make(accounting_.store(), request, current_time(), only_of);
    if (!found) {
      reply(to, found.error());
      return server_->resume(to.connection);
    }
    auto listing = std::make_shared<accounting::Listing>(std::move(*found));
    auto source = std::make_shared<FairShares::PartSource>(
        [this, listing]() -> controller::QueryAnswer::Part {
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
