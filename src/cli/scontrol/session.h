// One run of scontrol: its options, its connection, and its exit code. Each verb is a function that
// takes the session and the words after the keyword.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "cli/lib/controller.h"
#include "cli/records/record_text.h"
#include "cli/tables/lists.h"

namespace muster::cli {

struct ScontrolSession {
  bool one_line = false;
  bool all = false;     // include hidden partitions
  bool future = false;  // include FUTURE nodes
  bool quiet = false;   // no error messages, only the exit code
  bool json = false;
  int details = 0;
  bool verbose = false;
  int exit_code = 0;
  bool ended = false;  // exit, quit
  std::optional<Controller> controller;

  // The connection, made at first use and again after it broke.
  Result<Controller*> connect();
  void disconnect() { controller.reset(); }

  template <class Reply>
  Result<Reply> ask_for(const wire::Request& request) {
    auto to = connect();
    if (!to) return std::unexpected(to.error());
    auto reply = (*to)->ask_for<Reply>(request);
    if (!reply && is_broken(reply.error().code)) disconnect();
    return reply;
  }
  Result<wire::Answer> ask(const wire::Request& request);

  ShowStyle style(Time now) const;

  // Prints an error and sets the exit code.
  template <class... A>
  void error(fmt::format_string<A...> text, A&&... args) {
    exit_code = 1;
    if (!quiet) fmt::print(stderr, "{}\n", fmt::format(text, std::forward<A>(args)...));
  }

 private:
  static bool is_broken(ErrorCode code) {
    return code == ErrorCode::communication || code == ErrorCode::zero_bytes ||
           code == ErrorCode::timed_out;
  }
};

using Words = std::span<const std::string>;

// "12_3: text" for tasks of an array, otherwise "text for job 12".
std::string job_error_line(const wire::JobRef& ref, const Error& error);

void scontrol_show(ScontrolSession& session, Words words);
void scontrol_update(ScontrolSession& session, Words words);
void scontrol_create(ScontrolSession& session, Words words);
void scontrol_delete(ScontrolSession& session, Words words);
void scontrol_job_action(ScontrolSession& session, wire::JobAction action, Words words);
void scontrol_notify(ScontrolSession& session, Words words);
void scontrol_wait_job(ScontrolSession& session, Words words);
void scontrol_write(ScontrolSession& session, Words words);
// The node that this program runs on.
Result<wire::NodeView> own_node(ScontrolSession& session);
void scontrol_show_slurmd(ScontrolSession& session);
void scontrol_list_pids(ScontrolSession& session, Words words);
void scontrol_pid_info(ScontrolSession& session, Words words);
void scontrol_completing(ScontrolSession& session);
void scontrol_ping(ScontrolSession& session);
void scontrol_reconfigure(ScontrolSession& session);
void scontrol_reboot(ScontrolSession& session, Words words);
void scontrol_cancel_reboot(ScontrolSession& session, Words words);
void scontrol_shutdown(ScontrolSession& session, Words words);
void scontrol_abort(ScontrolSession& session);
void scontrol_takeover(ScontrolSession& session);
void scontrol_set_debug(ScontrolSession& session, Words words);
void scontrol_set_debug_flags(ScontrolSession& session, Words words);
void scontrol_print_help();

}  // namespace muster::cli
