// handshake: the messages by which client and server authenticate each other. The caller sends and
// receives them.
//
//   server -> client   ServerHello   version, name and, over TCP, a fresh nonce
//   client -> server   ClientHello   version, role and, over TCP, a munge credential that only the
//                                    server's user can decode: a fresh key, the nonce, the name and
//                                    the role
//   server -> client   Welcome       TCP only, the first sealed frame: proves that it has the key
//
// Over a Unix socket both sides check SO_PEERCRED instead, and frames stay plain. There the client
// speaks first, and may send its first request right away.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/containers/secret.h"
#include "base/ids.h"
#include "base/result.h"
#include "io/net/channel.h"

namespace muster::io {

inline constexpr std::uint32_t kProtocolVersion = 1;

// The names of servers. They include the kind of server, so that a credential made for one kind
// cannot be used with another.
std::string controller_server_name(std::string_view cluster);  // "slurmctld/CLUSTER"
std::string node_server_name(std::string_view node);           // "slurmd/NODE"

struct ServerHello {
  std::uint32_t version = 0;
  std::string nonce;
  std::string server_name;
  std::uint32_t come_back_ms = 0;  // not 0: too many connections of this user; try again then
  template <class V>
  void fields(V& v) {
    v(1, version);
    v(2, nonce);
    v(3, server_name);
    v(4, come_back_ms);
  }
};

struct ClientHello {
  std::uint32_t version = 0;
  std::string credential;
  PeerRole role = PeerRole::client;
  template <class V>
  void fields(V& v) {
    v(1, version);
    v(2, credential);
    v(3, role);
  }
};

struct Welcome {
  std::uint32_t version = 0;
  std::uint32_t come_back_ms = 0;  // as in ServerHello; over TCP that is sent too early to know
  template <class V>
  void fields(V& v) {
    v(1, version);
    v(2, come_back_ms);
  }
};

ServerHello make_server_hello(std::string_view server_name, bool over_tcp);

// Client side: checks that the hello is from the server we mean, and in our version.
Result<ServerHello> read_server_hello(std::string_view frame, const Endpoint& endpoint);

struct Offer {
  std::string frame;  // the ClientHello
  Secret key;         // empty = frames stay plain
};
Result<Offer> answer_over_tcp(const ServerHello& hello, const Endpoint& endpoint);  // blocks: munge
std::string answer_over_unix(PeerRole role = PeerRole::client);

// Server side.
Result<ClientHello> read_client_hello(std::string_view frame);
struct Accepted {
  Secret key;
  Uid uid;
  Gid gid;
  std::string client_name;  // of a daemon
  // Set if munge refuses the credential because the client's clock is this much ahead of ours.
  std::optional<Seconds> clock_ahead = {};
};
Result<Accepted> accept_credential(const ClientHello& client, const ServerHello& ours,
                                   const std::string& munge_socket);  // blocks: munge

}  // namespace muster::io
