// The Server's part of the handshake (handshake.h): authenticates the peer, and checks whether its
// user may have another connection.
#include "base/codec/codec.h"
#include "io/log.h"
#include "io/net/server_core.h"

namespace muster::io {

namespace {
constexpr std::uint32_t kComeBackMs = 1000;  // if the user's places are all taken
}  // namespace

void ServerCore::on_greeting(const MemberPtr& member, std::string_view frame) {
  auto client = read_client_hello(frame);
  if (!client) return refuse(member, client.error());
  member->peer.role = client->role;
  if (member->is_tcp) return check(member, std::move(*client));
  if (!shares_->enter(member)) {
    member->hello.come_back_ms = kComeBackMs;
    member->connection->send(encode(member->hello));
    return turn_away(member);
  }
  member->connection->send(encode(member->hello));
  open(member);
}

void ServerCore::check(const MemberPtr& member, ClientHello client) {
  member->stage = Stage::checking;
  const bool is_queued =
      loop_.run_check([self = shared_from_this(), member, client = std::move(client)] {
        if (!self->members_.find(member->id)) return;  // it has left
        auto accepted = accept_credential(client, member->hello, self->options_.munge_socket);
        member->connection->run(
            [self, member, accepted = std::move(accepted)] { self->on_checked(member, accepted); });
      });
  if (!is_queued)
    refuse(member, {ErrorCode::communication, "too many credentials wait to be checked"});
}

void ServerCore::on_checked(const MemberPtr& member, const Result<Accepted>& accepted) {
  if (!members_.find(member->id)) return;  // it left, or was too slow
  if (!accepted) return refuse(member, accepted.error());
  member->peer.uid = accepted->uid;
  member->peer.gid = accepted->gid;
  if (accepted->clock_ahead) return refuse_for_clock(member, *accepted);
  member->connection->session().start_sealing(accepted->key, true);
  const bool has_place = shares_->enter(member);
  const Welcome welcome{.version = kProtocolVersion, .come_back_ms = has_place ? 0 : kComeBackMs};
  member->connection->send(encode(welcome));
  if (!has_place) return turn_away(member);
  open(member);
}

void ServerCore::refuse_for_clock(const MemberPtr& member, const Accepted& who) {
  const Seconds ahead = *who.clock_ahead;
  {
    const std::shared_lock lock(gate_);
    if (!is_stopped_ && handlers_.on_clock_difference)
      handlers_.on_clock_difference(member->peer, who.client_name, ahead);
  }
  refuse(member,
         {ErrorCode::access_denied, fmt::format("munge: its clock is {} s {} this machine's",
                                                (ahead.count() < 0 ? -ahead : ahead).count(),
                                                ahead.count() < 0 ? "behind" : "ahead of")});
}

void ServerCore::turn_away(const MemberPtr& member) {
  refusals_.write(LogLevel::error,
                  fmt::format("turned away a connection of uid {}: it has {} already, or all are "
                              "taken",
                              member->peer.uid.value, shares_->max_user_connections()));
  member->stage = Stage::turned_away;
  forget(member);
  member->connection->finish();
}

void ServerCore::refuse(const MemberPtr& member, Error why) {
  refusals_.write(LogLevel::error, fmt::format("closed the connection of {}: {}",
                                               member->peer.address, reason_in_log(why)));
  member->connection->abort({ErrorCode::zero_bytes, {}});
}

}  // namespace muster::io
