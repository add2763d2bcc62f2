// Makes and checks hellos and credentials.
#include "io/net/handshake.h"

#include <fmt/format.h>

#include "base/codec/codec.h"
#include "base/text/slow_down.h"
#include "io/files.h"
#include "io/net/munge.h"
#include "io/net/seal.h"

namespace muster::io {

namespace {

constexpr std::size_t kNonceBytes = 32;

// The contents of a credential.
struct KeyOffer {
  Secret key;
  std::string nonce;
  std::string server_name;
  std::string client_name;
  PeerRole role = PeerRole::client;
  template <class V>
  void fields(V& v) {
    v(1, key);
    v(2, nonce);
    v(3, server_name);
    v(4, client_name);
    v(5, role);
  }
};

}  // namespace

std::string controller_server_name(std::string_view cluster) {
  return fmt::format("slurmctld/{}", cluster);
}
std::string node_server_name(std::string_view node) { return fmt::format("slurmd/{}", node); }

ServerHello make_server_hello(std::string_view server_name, bool over_tcp) {
  return {.version = kProtocolVersion,
          .nonce = over_tcp ? random_bytes(kNonceBytes) : std::string(),
          .server_name = std::string(server_name)};
}

Result<ServerHello> read_server_hello(std::string_view frame, const Endpoint& endpoint) {
  auto hello = decode<ServerHello>(frame);
  if (!hello) return fail(ErrorCode::communication, "the server's first message is malformed");
  if (hello->version != kProtocolVersion)
    return fail(ErrorCode::protocol_version,
                fmt::format("the server speaks version {}, this program version {}", hello->version,
                            kProtocolVersion));
  if (!endpoint.server_name.empty() && hello->server_name != endpoint.server_name)
    return fail(ErrorCode::access_denied, fmt::format("the server is \"{}\", not \"{}\"",
                                                      hello->server_name, endpoint.server_name));
  if (hello->come_back_ms > 0) return std::unexpected(slow_down(Millis{hello->come_back_ms}));
  return hello;
}

Result<Offer> answer_over_tcp(const ServerHello& hello, const Endpoint& endpoint) {
  if (hello.nonce.size() != kNonceBytes)
    return fail(ErrorCode::communication, "the server's first message has no nonce");
  Offer offer{.frame = {}, .key = random_bytes(kSealKeyBytes)};
  const KeyOffer inner{.key = offer.key,
                       .nonce = hello.nonce,
                       .server_name = hello.server_name,
                       .client_name = endpoint.client_name,
                       .role = endpoint.role};
  const Secret payload = encode(inner);
  auto credential =
      encode_credential(payload, endpoint.server_uid.value_or(Uid{0}), endpoint.munge_socket);
  if (!credential) return std::unexpected(credential.error());
  offer.frame = encode(ClientHello{
      .version = kProtocolVersion, .credential = std::move(*credential), .role = endpoint.role});
  return offer;
}

std::string answer_over_unix(PeerRole role) {
  return encode(ClientHello{.version = kProtocolVersion, .credential = {}, .role = role});
}

Result<ClientHello> read_client_hello(std::string_view frame) {
  auto hello = decode<ClientHello>(frame, Origin::foreign);
  if (!hello) return fail(ErrorCode::communication, "its first message is malformed");
  if (hello->version != kProtocolVersion)
    return fail(ErrorCode::protocol_version,
                fmt::format("it speaks version {}, this daemon version {}", hello->version,
                            kProtocolVersion));
  if (hello->role != PeerRole::client && hello->role != PeerRole::node)
    return fail(ErrorCode::communication, "its role is unknown");
  return hello;
}

Result<Accepted> accept_credential(const ClientHello& client, const ServerHello& ours,
                                   const std::string& munge_socket) {
  auto decoded = decode_timed_credential(client.credential, munge_socket);
  if (!decoded) return std::unexpected(decoded.error());
  const auto* untimely = std::get_if<Untimely>(&*decoded);
  const Credential* credential =
      untimely ? &untimely->credential : std::get_if<Credential>(&*decoded);
  auto offer = decode<KeyOffer>(credential->payload);
  if (!offer || offer->key.size() != kSealKeyBytes)
    return fail(ErrorCode::access_denied, "its credential does not hold a key");
  if (offer->nonce != ours.nonce)
    return fail(ErrorCode::access_denied, "its credential was made for another connection");
  if (offer->server_name != ours.server_name)
    return fail(ErrorCode::access_denied, "its credential was made for another server");
  if (offer->role != client.role)
    return fail(ErrorCode::access_denied, "its credential was made for another role");
  Accepted accepted{.key = std::move(offer->key),
                    .uid = credential->uid,
                    .gid = credential->gid,
                    .client_name = std::move(offer->client_name)};
  if (untimely) accepted.clock_ahead = untimely->ahead;
  return accepted;
}

}  // namespace muster::io
