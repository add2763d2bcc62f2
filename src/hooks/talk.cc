// Sends lines; long ones are cut.
#include "hooks/talk.h"

#include <string>

#include "base/text/strings.h"
#include "io/process/helper.h"

namespace muster::hooks {

namespace {

std::string prefix;  // "1: "

}  // namespace

void speak_of(std::optional<std::size_t> component) {
  prefix = component ? std::to_string(*component) + ": " : std::string();
}

void say(wire::HookLevel level, std::string_view text) {
  for (std::string_view line : split(text, '\n')) {
    line = line.substr(0, wire::kMostHookLineBytes);
    if (line.empty() && text.size() > 0 && text.back() == '\n') continue;
    std::string whole = level == wire::HookLevel::user ? prefix : std::string();
    whole += line;
    io::send_frame(kSocket, encode(wire::HookReply{wire::HookLine{level, std::move(whole)}}));
  }
}

}  // namespace muster::hooks
