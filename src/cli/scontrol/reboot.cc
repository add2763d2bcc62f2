// scontrol reboot and cancel_reboot.
#include "base/text/strings.h"
#include "cli/scontrol/session.h"

namespace muster::cli {

namespace {

void ask_for_state(ScontrolSession& session, std::string_view what, wire::UpdateRequest request) {
  request.kind = wire::UpdateRequest::Kind::node;
  auto answer = session.ask(request);
  if (answer) return;
  const Error& error = answer.error();
  // Slurm's text differs for this command.
  if (error.code == ErrorCode::user_id_missing)
    return session.error("{} error: Permission denied", what);
  session.error("{} error: {}", what, error.text());
}

}  // namespace

void scontrol_reboot(ScontrolSession& session, Words words) {
  wire::UpdateRequest request;
  bool asap = false;
  std::string nodes;
  for (const std::string& word : words) {
    if (iequals(word, "ASAP")) {
      asap = true;
    } else if (istarts_with(word, "nextstate=")) {
      std::string state = upper(word.substr(word.find('=') + 1));
      if (state != "RESUME" && state != "DOWN")
        return session.error("Invalid state: {}\nValid states: DOWN, RESUME",
                             word.substr(word.find('=') + 1));
      request.settings.emplace_back("NextState", state);
    } else if (istarts_with(word, "reason=")) {
      request.settings.emplace_back("Reason", word.substr(word.find('=') + 1));
    } else if (nodes.empty()) {
      nodes = word;
    } else {
      return session.error("too many arguments for keyword:reboot");
    }
  }
  if (nodes.empty()) return session.error("Missing node list. Specify ALL|<NodeList>");
  request.settings.emplace_back("NodeName", nodes);
  request.settings.emplace_back("State", asap ? "REBOOT_ASAP" : "REBOOT");
  ask_for_state(session, "scontrol_reboot_nodes", std::move(request));
}

void scontrol_cancel_reboot(ScontrolSession& session, Words words) {
  wire::UpdateRequest request;
  request.settings.emplace_back("NodeName", words[0]);
  request.settings.emplace_back("State", "CANCEL_REBOOT");
  ask_for_state(session, "slurm_update", std::move(request));
}

}  // namespace muster::cli
