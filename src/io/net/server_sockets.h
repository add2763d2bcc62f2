// Listening sockets, and what the kernel knows of an accepted one.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "io/net/server.h"

namespace muster::io {

// Mode 0777. A socket file that nobody serves any more is replaced; one that is served is an error.
Result<int> listen_unix(const std::string& path);
// `address` empty = all, IPv6 and IPv4. `port` 0 = one that the system chooses.
Result<int> listen_tcp(const std::string& address, std::uint16_t port);
std::uint16_t port_of(int fd);

Result<Peer> unix_peer(int fd);
std::string tcp_peer_address(int fd);  // "127.0.0.1:41234", "[::1]:41234"

// Raises the number of open files to what is allowed, for root to `wanted` at least. Returns it.
std::size_t raise_file_limit(std::size_t wanted);

}  // namespace muster::io
