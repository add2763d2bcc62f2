// Fills in the endpoint of a node's slurmd.
#include "io/net/node_connection.h"

#include <fmt/format.h>
#include <netdb.h>
#include <sys/socket.h>

#include <array>
#include <chrono>
#include <memory>
#include <thread>

#include "io/net/handshake.h"

namespace muster::io {

Result<Channel> connect_to_node(const wire::NodeAccess& access, const wire::Branch& node) {
  Endpoint endpoint;
  if (!access.socket_dir.empty())
    endpoint.unix_path =
        fmt::format("{}/slurmd.{}.sock", access.socket_dir.view(), node.node.view());
  endpoint.use_munge = access.use_munge;
  endpoint.munge_socket = access.munge_socket.str();
  endpoint.server_uid = access.slurmd_user;
  endpoint.server_name = node_server_name(node.node);
  endpoint.host = node.address.str();
  endpoint.port = static_cast<std::uint16_t>(node.port);
  return Channel::connect(endpoint, access.timeout);
}

Result<Channel> connect_to_node_patiently(const wire::NodeAccess& access,
                                          const wire::Branch& node) {
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::milliseconds kPause{200};
  const Clock::time_point until = Clock::now() + access.timeout;
  auto channel = connect_to_node(access, node);
  while (!channel && Clock::now() < until) {
    std::this_thread::sleep_for(kPause);
    channel = connect_to_node(access, node);
  }
  return channel;
}

std::string numeric_address(const std::string& host) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (::getaddrinfo(host.c_str(), nullptr, &hints, &found) != 0) return host;
  const std::unique_ptr<addrinfo, void (*)(addrinfo*)> owned(found, ::freeaddrinfo);
  std::array<char, NI_MAXHOST> text{};
  if (::getnameinfo(found->ai_addr, found->ai_addrlen, text.data(), text.size(), nullptr, 0,
                    NI_NUMERICHOST) != 0)
    return host;
  return text.data();
}

}  // namespace muster::io
