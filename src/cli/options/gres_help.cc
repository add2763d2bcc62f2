// Prints the list for --gres=help.
#include "cli/options/gres_help.h"

#include <cstdio>

#include <fmt/format.h>

#include "base/text/strings.h"
#include "cli/lib/errors.h"

namespace muster::cli {

int list_gres(std::string_view program, Controller& controller) {
  auto reply = controller.ask_for<wire::ConfigReply>(wire::ConfigRequest{});
  if (!reply) {
    print_error(program, reply.error().text());
    return failure_code();
  }
  std::string out = "Valid gres options are:\n";
  for (const auto& [key, value] : reply->settings) {
    if (!iequals(key, "GresTypes") || value == "(null)") continue;
    for (std::string_view name : split(value, ',')) out += fmt::format("{}[[:type]:count]\n", name);
  }
  std::fputs(out.c_str(), stdout);
  return 0;
}

}  // namespace muster::cli
