// Incoming connections: sruns that attach to a step, and commands that send a file. Only a step's
// user, root and SlurmUser may attach; each user may have a limited number of waiting connections.
#include <fmt/format.h>
#include <unistd.h>

#include "base/codec/codec.h"
#include "io/wall_clock.h"
#include "node/attach_rights.h"
#include "slurmd/host.h"

namespace muster {

namespace {

void turn_away(WaitingAttaches::Attach attach, std::string_view why) {
  io::Channel channel(attach.fd, std::move(attach.session));
  wire::StepMessage message{fmt::format("slurmd: error: {}", why)};
  channel.queue(encode(wire::FromStepFrame{message}));
  // The connection is closed anyway, whether or not the caller reads this line.
  (void)channel.try_flush();
}

}  // namespace

// The socket leaves the server here: it is passed to a step, or to a process that receives a file.
void Slurmd::on_client_frame(io::ConnectionId id, const std::string& frame) {
  auto call = decode<wire::NodeCall>(frame, Origin::foreign);
  if (!call || stopped_) return server_->close(id);
  auto [fd, session] = server_->release(id);
  if (fd < 0) return;
  if (auto* offer = std::get_if<wire::FileOffer>(&call->call))
    return receive_file(std::move(*offer), fd, std::move(session));
  WaitingAttaches::Attach attach{fd, std::move(session),
                                 std::get<wire::AttachRequest>(std::move(call->call)), 0};
  attach.bytes = frame.size() + attach.session.unread.size();
  take_attach(std::move(attach));
}

void Slurmd::take_attach(WaitingAttaches::Attach attach) {
  const wire::StepRef step = attach.request.ref;
  const Uid caller = attach.session.peer_uid;
  const std::optional<Uid> owner = steps_.user_of(step);
  if (owner && !may_attach(caller, *owner, start_.config.slurm_user))
    return turn_away(std::move(attach), "this step is another user's");
  const std::optional<AttachId> id = attaches_.add(attach);
  if (!id)
    return turn_away(std::move(attach), "too many connections wait for their steps on this node");
  agent_->on_attach(*id, step, io::steady_time());
}

void Slurmd::hand_over(AttachId id, const wire::StepRef& step) {
  auto attach = attaches_.take(id);
  if (!attach) return;
  const std::optional<Uid> owner = steps_.user_of(step);
  if (owner && !may_attach(attach->session.peer_uid, *owner, start_.config.slurm_user))
    return turn_away(std::move(*attach), "this step is another user's");
  auto sent = steps_.command(step, io::StepAttach{attach->request, attach->session}, attach->fd);
  if (!sent) return turn_away(std::move(*attach), sent.error().text());
  close(attach->fd);
}

void Slurmd::refuse(AttachId id, std::string_view why) {
  if (auto attach = attaches_.take(id)) turn_away(std::move(*attach), why);
}

}  // namespace muster
