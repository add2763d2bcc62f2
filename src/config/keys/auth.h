// AuthType and AuthInfo: how programs prove who they are to each other. slurmctld, slurmd and the
// commands all ask here, so that they agree.
#pragma once

#include <string>
#include <string_view>

namespace muster::config {

// auth/unix and auth/none are one thing: no network, only callers on the same machine, whose user
// the kernel tells.
inline constexpr std::string_view kAuthTypes = "auth/munge,auth/unix,auth/none";

bool is_auth_type(std::string_view auth_type);
bool uses_munge(std::string_view auth_type);
// "socket=/run/munge/munge.socket.2" in AuthInfo; empty = munge's own default.
std::string munge_socket(std::string_view auth_info);

}  // namespace muster::config
