// Long answers leave a part at a time: the next is made once the client has read most of those
// before, so that a slow reader costs a few MiB and loses nothing.
#include <chrono>
#include <new>

#include "accounting/query.h"
#include "base/codec.h"
#include "daemon/slurmctld_service.h"
#include "io/channel.h"
#include "io/log.h"
#include "wire/parts.h"

namespace muster::daemon {

namespace {

constexpr std::size_t kUnreadAtMost = 4 * wire::kPartBytes;
constexpr std::chrono::milliseconds kLookAgain{5};

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

// On any thread. Where the reader is behind, the rest is made on the loop's pool.
void Service::send_in_parts(controller::ReplyTo to, std::shared_ptr<PartSource> source) {
  for (bool more = true; more;) {
    const auto unread = server_->unsent_bytes(to.connection);
    if (!unread || stopping_) return;  // nobody is left to read it
    if (*unread > kUnreadAtMost)
      return loop_->after(kLookAgain, [this, to, source = std::move(source)]() mutable {
        if (stopping_) return;
        loop_->run_blocking([this, to, source = std::move(source)] { send_in_parts(to, source); });
      });
    try {
      controller::QueryAnswer::Part part = (*source)();
      more = part.more;
      send_part(to, std::move(part.answer), more);
    } catch (const std::bad_alloc&) {
      return reply(to, Error{ErrorCode::too_large, "there is not enough memory for the answer"});
    }
  }
}

// Nobody else waits for a long answer.
void Service::on_query(controller::ReplyTo to, controller::Viewer viewer, wire::Request query) {
  const bool is_short = controller::has_short_answer(*published_, query);
  auto answer = std::make_shared<controller::QueryAnswer>(published_, std::move(viewer),
                                                          std::move(query), current_time());
  auto source = std::make_shared<PartSource>([answer] { return answer->next(); });
  if (is_short)
    send_in_parts(to, std::move(source));
  else
    loop_->run_blocking([this, to, source = std::move(source)] { send_in_parts(to, source); });
}

// sacct
void Service::ask_accounting(controller::ReplyTo to, const io::Peer& peer,
                             const wire::AccountingRequest& request) {
  if (!accounting_)
    return reply(to, Error{ErrorCode::failure, "Slurm accounting storage is disabled"});
  const auto only_of =
      controller::Visibility(published_->cluster, viewer_of(peer)).only_records_of();
  accounting_thread_->post([this, to, only_of, request] {
    feed_accounting(Rows::all);
    auto found = accounting::Listing::make(*accounting_, request, current_time(), only_of);
    if (!found) return reply(to, found.error());
    auto listing = std::make_shared<accounting::Listing>(std::move(*found));
    auto source = std::make_shared<PartSource>([this, listing]() -> controller::QueryAnswer::Part {
      auto rows = listing->next(*accounting_, wire::kPartBytes);
      if (!rows) return {rows.error(), false};
      wire::AccountingReply part;
      for (const AccountingRow& row : *rows) part.rows.push_back(encode(row));
      const bool more = !rows->empty();  // the last part is an empty one
      return {std::move(part), more};
    });
    send_in_parts(to, std::move(source));
  });
}

}  // namespace muster::daemon
