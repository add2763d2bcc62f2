// Long answers leave a part at a time: the next is made once the client has read most of those
// before, so that a slow reader costs a few MiB and loses nothing.
#include <chrono>
#include <future>
#include <new>

#include "accounting/query.h"
#include "base/codec/codec.h"
#include "io/log.h"
#include "io/net/channel.h"
#include "slurmctld/service.h"
#include "wire/parts.h"

namespace muster::daemon {

namespace {

constexpr std::size_t kUnreadAnswersAtMost = 4 * wire::kPartBytes;

}  // namespace

void Service::send_part(controller::ReplyTo to, wire::Answer answer, bool more) {
  std::string frame =
      encode(wire::ReplyFrame{.id = to.request, .more = more, .answer = std::move(answer)});
  if (frame.size() > io::kMaxFrameBytes) {
    // Lists come in parts: this is one thing that nobody should have been able to make.
    io::log_error("an answer of {} bytes is too large to be sent", frame.size());
    frame = encode(wire::ReplyFrame{
        .id = to.request,
        .more = false,
        .answer = Error{ErrorCode::too_large, "the answer is too large to be sent"}});
  }
  server_->send(to.connection, std::move(frame));
  if (to.is_all && !more) server_->finish(to.connection);
}

// On a thread of the pool, or on the loop. Where the reader is behind, the rest is made when the
// user's turn comes again.
void Service::send_in_parts(io::FairPool& pool, controller::ReplyTo to, Uid user,
                            std::shared_ptr<PartSource> source) {
  for (bool more = true; more;) {
    const auto unread = server_->unsent_bytes(to.connection);
    if (!unread || stopping_) return;  // nobody is left to read it
    if (*unread > kUnreadAnswersAtMost)
      return loop_->after(kLookAgain, [this, &pool, to, user, source = std::move(source)] {
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
      send_part(to, std::move(part.answer), more);
    } catch (const std::bad_alloc&) {
      more = false;
      reply(to, Error{ErrorCode::too_large, "there is not enough memory for the answer"});
    }
  }
  if (!loop_->is_here()) server_->resume(to.connection);  // see begin_fairly
}

// Nobody else waits for a long answer. It is made from the state as it is when its turn comes.
void Service::on_query(controller::ReplyTo to, const io::Peer& peer, wire::Request query,
                       std::size_t bytes) {
  if (auto ok = controller::check_query(query); !ok) return reply(to, ok.error());
  const Uid user = peer.uid;
  const bool is_short = controller::has_short_answer(*published_, query) && may_answer_here(user);
  auto send = [this, to, user, viewer = viewer_of(peer), query = std::move(query)] {
    auto answer =
        std::make_shared<controller::QueryAnswer>(published(), viewer, query, current_time());
    send_in_parts(*answers_, to, user,
                  std::make_shared<PartSource>([answer] { return answer->next(); }));
  };
  if (is_short) return send();
  begin_fairly(*answers_, to, user, bytes, std::move(send));
}

// sacct. The accounting's thread is where a listing begins; what waits for it waits in a pool, so
// that users take turns.
void Service::ask_accounting(controller::ReplyTo to, const io::Peer& peer,
                             const wire::AccountingRequest& request) {
  if (!accounting_)
    return reply(to, Error{ErrorCode::failure, "Slurm accounting storage is disabled"});
  const auto only_of =
      controller::Visibility(published_->cluster, viewer_of(peer)).only_records_of();
  auto list = [this, to, only_of, request, user = peer.uid] {
    feed_accounting(Rows::all);
    auto found = accounting::Listing::make(*accounting_, request, current_time(), only_of);
    if (!found) {
      reply(to, found.error());
      return server_->resume(to.connection);
    }
    auto listing = std::make_shared<accounting::Listing>(std::move(*found));
    auto source = std::make_shared<PartSource>([this, listing]() -> controller::QueryAnswer::Part {
      auto rows = listing->next(*accounting_, wire::kPartBytes);
      if (!rows) return {rows.error(), false};
      wire::AccountingReply part;
      for (const AccountingRow& row : *rows) part.rows.push_back(encode(row));
      const bool more = !rows->empty();  // the last part is an empty one
      return {std::move(part), more};
    });
    send_in_parts(*sacct_, to, user, std::move(source));
  };
  begin_fairly(*sacct_, to, peer.uid, 0, [this, list = std::move(list)] {
    auto over =
        std::make_shared<std::promise<void>>();  // kept with the work, also if that is dropped
    const auto is_over = over->get_future();
    accounting_thread_->post([list, over = std::move(over)] { list(); });
    is_over.wait();
  });
}

}  // namespace muster::daemon
