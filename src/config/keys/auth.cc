#include "config/keys/auth.h"

#include <algorithm>

#include "base/text/strings.h"

namespace muster::config {

bool is_auth_type(std::string_view auth_type) {
  return std::ranges::any_of(split(kAuthTypes, ','),
                             [&](std::string_view known) { return iequals(known, auth_type); });
}

bool uses_munge(std::string_view auth_type) { return iequals(auth_type, "auth/munge"); }

std::string munge_socket(std::string_view auth_info) {
  constexpr std::string_view kSocket = "socket=";
  for (std::string_view part : split(auth_info, ','))
    if (istarts_with(trim(part), kSocket)) return std::string(trim(part).substr(kSocket.size()));
  return {};
}

}  // namespace muster::config
