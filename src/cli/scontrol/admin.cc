// scontrol commands about the controller itself: ping, reconfigure, shutdown, log levels; and help.
#include <algorithm>

#include "base/text/strings.h"
#include "cli/scontrol/session.h"
#include "config/keys/keys.h"
#include "io/log.h"

namespace muster::cli {

namespace {

std::string controller_host() {
  auto config = find_cluster();
  if (!config) return "localhost";
  for (const io::Endpoint& endpoint : config->endpoints)
    if (!endpoint.host.empty()) return endpoint.host;
  return "localhost";
}

void finish(ScontrolSession& session, std::string_view what, const wire::Request& request) {
  auto answer = session.ask(request);
  if (!answer) session.error("{} error: {}", what, answer.error().text());
}

}  // namespace

void scontrol_ping(ScontrolSession& session) {
  auto reply = session.ask_for<wire::PingReply>(wire::PingRequest{});
  if (reply) {
    fmt::print("Slurmctld({}) at {} is UP\n", reply->mode.empty() ? "primary" : reply->mode.view(),
               reply->host.view());
    return;
  }
  fmt::print("Slurmctld(primary) at {} is DOWN\n", controller_host());
  fmt::print(
      "*****************************************\n"
      "** RESTORE SLURMCTLD DAEMON TO SERVICE **\n"
      "*****************************************\n");
  session.exit_code = 1;
}

void scontrol_reconfigure(ScontrolSession& session) {
  auto to = session.connect();
  if (!to) return session.error("slurm_reconfigure error: {}", to.error().text());
  auto tell = [](wire::Answer&& part) {
    if (auto* notice = std::get_if<wire::Notice>(&part))
      fmt::print(stderr, "scontrol: {}\n", notice->text.view());
  };
  if (auto done = (*to)->stream(wire::ReconfigureRequest{}, tell); !done)
    session.error("slurm_reconfigure error: {}", done.error().text());
}

void scontrol_shutdown(ScontrolSession& session, Words words) {
  bool controller_only = false;
  if (!words.empty()) {
    controller_only = (words[0].size() > 1 && istarts_with("slurmctld", words[0])) ||
                      (words[0].size() > 1 && istarts_with("controller", words[0]));
    if (!controller_only) return session.error("invalid shutdown argument:{}", words[0]);
  }
  finish(session, "slurm_shutdown", wire::ShutdownRequest{controller_only});
}

void scontrol_abort(ScontrolSession& session) {
  finish(session, "slurm_shutdown", wire::ShutdownRequest{.controller_only = true});
}

void scontrol_takeover(ScontrolSession& session) {
  session.error("slurm_takeover error: no backup controller is configured");
}

void scontrol_set_debug(ScontrolSession& session, Words words) {
  io::LogLevel level;
  if (!io::parse_log_level(words[0], level))
    return session.error("invalid debug level: {}", words[0]);
  wire::DebugRequest request;
  request.level = words[0];
  finish(session, "slurm_set_debug_level", request);
}

void scontrol_set_debug_flags(ScontrolSession& session, Words words) {
  const std::string& flag = words[0];
  if (flag.size() < 2 || (flag[0] != '+' && flag[0] != '-')) {
    session.error("invalid debug flag: {}", flag);
    return session.error("Usage: setdebugflags [+|-]NAME");
  }
  auto known = split(config::find_key("DebugFlags")->type.expected, ',');
  auto name = std::ranges::find_if(known, [&](std::string_view each) {
    return iequals(each, std::string_view(flag).substr(1));
  });
  if (name == known.end()) {
    print_error("scontrol", fmt::format("Invalid DebugFlag: {}", flag.substr(1)));
    return session.error("invalid debug flag: {}", flag);
  }
  wire::DebugRequest request;
  request.flags = fmt::format("{}{}", flag[0], *name);
  finish(session, "slurm_set_debugflags", request);
}

void scontrol_print_help() {
  fmt::print("{}", R"(Usage: scontrol [<OPTION>] [<COMMAND>]

Without a command, commands are read from standard input, one per line.

Valid <OPTION> values are:
  -a, --all        include hidden partitions
  -d, --details    more details of "show"
  -F, --future     include nodes in state FUTURE
  -h, --help       print this text
      --hide       exclude hidden partitions
      --json       "show job" and "show node" as JSON
  -o, --oneliner   one record per line
  -Q, --quiet      no error messages, only the exit code
  -v, --verbose    print more messages
  -V, --version    print the version

Valid <COMMAND> values are:     (they may be abbreviated)
  listpids [JOB[.STEP] [NODE]] processes of steps on a node (default: this one)
  pidinfo PID                  the job of a process on this node, and its remaining time
  show <ENTITY> [<ID>]         job, node, partition, config, step, hostnames LIST, hostlist LIST,
                               hostlistsorted LIST, daemons, slurmd, aliases, licenses, reservation,
                               topology
  update KEY=VALUE...          changes a job (JobId=), node (NodeName=), partition (PartitionName=)
                               or step (StepId=)
  create PartitionName=NAME .. creates a partition; create reservation KEY=VALUE.. a reservation
  delete PartitionName=NAME    removes a partition; delete ReservationName=NAME a reservation
  create NodeName=NAMES State=CLOUD|FUTURE KEY=VALUE..
                               adds nodes that slurm.conf does not name; delete NodeName=NAMES removes
                               such nodes
  hold JOBS                    keeps pending jobs from starting; jobname=NAME means all jobs of a name
  uhold JOBS                   the same, but the owner may release them
  release JOBS                 lets held jobs start
  requeue [Incomplete] JOBS    returns batch jobs to the queue; Incomplete: except ended ones
  requeuehold JOBS             the same, and holds them
  suspend JOBS, resume JOBS    stops the processes of running jobs, or lets them continue
  top JOBS                     moves jobs before the other jobs of their owner
  notify JOB TEXT              sends a message to the srun, salloc or batch script of a job
  wait_job JOB                 waits until a job's nodes are ready
  write batch_script JOB [FILE]
                               writes the script of a job to FILE ("-" = standard output)
  write config [FILE]          writes the configuration in force to FILE, with the time added to its name
  completing                   lists ended jobs that still hold nodes
  ping                         checks whether the controller answers
  reconfigure                  reads the configuration again
  reboot [ASAP] [nextstate=RESUME|DOWN] [reason=TEXT] NODES|ALL
                               reboots nodes once nothing runs there; ASAP: they take no more jobs
  cancel_reboot NODES          cancels reboots that have not begun
  shutdown [slurmctld]         stops all daemons, or only the controller
  abort                        stops the controller
  setdebug LEVEL               sets the level of the controller's log
  setdebugflags +NAME|-NAME    sets or clears a debug flag of the controller
  errnumstr NUMBER             prints the text of an error number
  all, hide, details, oneliner, quiet, verbose, version, help, exit, quit
  !!                           repeats the last command
)");
}

}  // namespace muster::cli
