// Looks up keys and words by name, and reads lists of words.
#include "config/keys/keys.h"

#include "base/text/strings.h"

namespace muster::config {

std::optional<std::string_view> word_of(std::string_view list, std::string_view name) {
  while (!list.empty()) {
    const auto comma = list.find(',');
    const std::string_view part = trim(list.substr(0, comma));
    list.remove_prefix(comma == list.npos ? list.size() : comma + 1);
    const auto equals = part.find('=');
    if (!iequals(trim(part.substr(0, equals)), name)) continue;
    return equals == part.npos ? std::string_view() : trim(part.substr(equals + 1));
  }
  return std::nullopt;
}

std::optional<ControllerHost> parse_controller_host(std::string_view text) {
  const auto open = text.find('(');
  if (open == text.npos) return ControllerHost{std::string(text), std::string(text), false};
  if (!text.ends_with(')') || open == 0 || open + 2 >= text.size()) return std::nullopt;
  return ControllerHost{std::string(text.substr(0, open)),
                        std::string(text.substr(open + 1, text.size() - open - 2)), true};
}

std::vector<ControllerHost> OldControllers::hosts() const {
  std::vector<ControllerHost> hosts;
  auto add = [&](const std::string& name, const std::string& address) {
    if (!name.empty()) hosts.push_back({name, address.empty() ? name : address, !address.empty()});
  };
  add(primary, primary_address);
  add(backup, backup_address);
  return hosts;
}

}  // namespace muster::config
