// The Server's part of the handshake (handshake.h): authenticates the peer, and checks whether its
// user may have another connection.
#include "base/codec/codec.h"
#include "io/log.h"
#include "io/net/server_core.h"

namespace muster::io {

namespace {
constexpr std::uint32_t kComeBackMs = 1000;  // if the user's places are all taken
}  // namespace

void ServerCore::on_greeting(const ClientPtr& client, std::string_view frame) {
  auto greeting = read_client_hello(frame);
  if (!greeting) return refuse(client, greeting.error());
  client->peer.role = greeting->role;
  if (client->is_tcp) return check(client, std::move(*greeting));
  if (!user_limits_->enter(client)) {
    client->hello.come_back_ms = kComeBackMs;
    client->connection->send(encode(client->hello));
    return turn_away(client);
  }
  client->connection->send(encode(client->hello));
  open(client);
}

void ServerCore::check(const ClientPtr& client, ClientHello greeting) {
  client->stage = Stage::checking;
  const bool is_queued =
      loop_.run_check([self = shared_from_this(), client, greeting = std::move(greeting)] {
        if (!self->clients_.find(client->id)) return;  // it has left
        auto accepted = accept_credential(greeting, client->hello, self->options_.munge_socket);
        client->connection->run(
            [self, client, accepted = std::move(accepted)] { self->on_checked(client, accepted); });
      });
  if (!is_queued)
    refuse(client, {ErrorCode::communication, "too many credentials wait to be checked"});
}

void ServerCore::on_checked(const ClientPtr& client, const Result<Accepted>& accepted) {
  if (!clients_.find(client->id)) return;  // it left, or was too slow
  if (!accepted) return refuse(client, accepted.error());
  client->peer.uid = accepted->uid;
  client->peer.gid = accepted->gid;
  if (accepted->clock_ahead) return refuse_for_clock(client, *accepted);
  client->connection->session().start_sealing(accepted->key, true);
  const bool has_place = user_limits_->enter(client);
  const Welcome welcome{.version = kProtocolVersion, .come_back_ms = has_place ? 0 : kComeBackMs};
  client->connection->send(encode(welcome));
  if (!has_place) return turn_away(client);
  open(client);
}

void ServerCore::refuse_for_clock(const ClientPtr& client, const Accepted& who) {
  const Seconds ahead = *who.clock_ahead;
  {
    const std::shared_lock lock(gate_);
    if (!is_stopped_ && handlers_.on_clock_difference)
      handlers_.on_clock_difference(client->peer, who.client_name, ahead);
  }
  refuse(client,
         {ErrorCode::access_denied, fmt::format("munge: its clock is {} s {} this machine's",
                                                (ahead.count() < 0 ? -ahead : ahead).count(),
                                                ahead.count() < 0 ? "behind" : "ahead of")});
}

void ServerCore::turn_away(const ClientPtr& client) {
  refusals_.write(LogLevel::error,
                  fmt::format("turned away a connection of uid {}: it has {} already, or all are "
                              "in use",
                              client->peer.uid.value, user_limits_->max_user_connections()));
  client->stage = Stage::turned_away;
  forget(client);
  client->connection->finish();
}

void ServerCore::refuse(const ClientPtr& client, Error why) {
  refusals_.write(LogLevel::error, fmt::format("closed the connection of {}: {}",
                                               client->peer.address, reason_in_log(why)));
  client->connection->abort({ErrorCode::zero_bytes, {}});
}

}  // namespace muster::io
