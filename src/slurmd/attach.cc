// slurmd's door: who calls it to be connected with a step or to send a file. A step is the affair
// of its user, root and SlurmUser; what waits for a step is bounded for each user.
#include <fmt/format.h>
#include <unistd.h>

#include "base/codec/codec.h"
#include "io/wall_clock.h"
#include "node/attach_rights.h"
#include "slurmd/host.h"

namespace muster {

// On an io thread: the socket leaves the server here and goes on as the main thread's.
void Slurmd::on_client_frame(io::ConnectionId id, const std::string& frame) {
  server_set_.wait();
  auto call = decode<wire::NodeCall>(frame, Origin::foreign);
  if (!call) return server_->close(id);
  auto [fd, session] = server_->release(id);
  if (fd < 0) return;
  if (auto* offer = std::get_if<wire::FileOffer>(&call->call))
    return loop_.post(
        [this, fd, offer = std::move(*offer), session = std::move(session)]() mutable {
          receive_file(std::move(offer), fd, std::move(session));
        });
  Attach attach{fd, std::move(session), std::get<wire::AttachRequest>(std::move(call->call)), 0};
  attach.bytes = frame.size() + attach.session.unread.size();
  loop_.post([this, attach = std::move(attach)]() mutable { take_attach(std::move(attach)); });
}

void Slurmd::take_attach(Attach attach) {
  const wire::StepRef step = attach.request.ref;
  const Uid caller = attach.session.peer_uid;
  const std::optional<Uid> owner = steps_.user_of(step);
  if (owner && !may_attach(caller, *owner, start_.config.slurm_user))
    return turn_away(std::move(attach), "this step is another user's");
  if (!waiting_.take(caller, attach.bytes))
    return turn_away(std::move(attach), "too many connections wait for their steps on this node");
  const AttachId id = ++last_attach_;
  attaches_.emplace(id, std::move(attach));
  agent_->on_attach(id, step, io::steady_time());
}

std::optional<Slurmd::Attach> Slurmd::drop_attach(AttachId id) {
  auto found = attaches_.extract(id);
  if (found.empty()) return std::nullopt;
  waiting_.give_back(found.mapped().session.peer_uid, found.mapped().bytes);
  return std::move(found.mapped());
}

void Slurmd::hand_over(AttachId id, const wire::StepRef& step) {
  auto attach = drop_attach(id);
  if (!attach) return;
  const std::optional<Uid> owner = steps_.user_of(step);
  if (owner && !may_attach(attach->session.peer_uid, *owner, start_.config.slurm_user))
    return turn_away(std::move(*attach), "this step is another user's");
  auto sent = steps_.command(step, io::StepAttach{attach->request, attach->session}, attach->fd);
  if (!sent) return turn_away(std::move(*attach), sent.error().text());
  close(attach->fd);
}

void Slurmd::refuse(AttachId id, std::string_view why) {
  if (auto attach = drop_attach(id)) turn_away(std::move(*attach), why);
}

void Slurmd::turn_away(Attach attach, std::string_view why) {
  io::Channel channel(attach.fd, std::move(attach.session));
  wire::StepMessage message{fmt::format("slurmd: error: {}", why)};
  channel.queue(encode(wire::FromStepFrame{message}));
  // The connection ends in any case; one that does not take the line goes without it.
  (void)channel.try_flush();
}

}  // namespace muster
