// server_sockets: makes listening sockets, and asks the kernel about accepted ones.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "io/net/server.h"

namespace muster::io {

// Mode 0777. Replaces a stale socket file; fails if a server still listens there.
Result<int> listen_unix(const std::string& path);
// `address` empty = all addresses, IPv6 and IPv4. `port` 0 = the system chooses one.
Result<int> listen_tcp(const std::string& address, std::uint16_t port);
std::uint16_t port_of(int fd);

Result<Peer> unix_peer(int fd);
std::string tcp_peer_address(int fd);  // "127.0.0.1:41234", "[::1]:41234"

// Raises the limit of open files as far as allowed, for root to at least `wanted`. Returns the
// limit.
std::size_t raise_file_limit(std::size_t wanted);

}  // namespace muster::io
