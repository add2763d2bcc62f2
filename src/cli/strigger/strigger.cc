// strigger: sets, lists and clears triggers: programs that slurmctld runs when something happens.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/text/strings.h"
#include "cli/lib/command.h"
#include "cli/lib/controller.h"
#include "cli/lib/name_lookup.h"
#include "cli/options/command_options.h"
#include "cli/options/option_lists.h"
#include "cli/strigger/report.h"
#include "cli/tables/lists.h"
#include "cli/tables/table_format.h"

namespace muster::cli {

namespace {

constexpr std::string_view kProgram = "strigger";

struct TriggerOptions {
  bool set = false, get = false, clear = false;
  std::optional<TriggerEvent> event;
  bool has_node = false, header = true, quiet = false;
  std::uint32_t id = 0;
  JobId job;
  std::optional<Uid> user;
  std::string nodes, program, clusters;
  Seconds offset{0};
  bool permanent = false;
  int verbose = 0;
};
using O = TriggerOptions;

std::unexpected<Refusal> refuse(std::string_view text) {
  return std::unexpected(Refusal{error_lines(kProgram, text), kExitFailure});
}

template <TriggerEvent Event>
Outcome when(O& options, Value) {
  if (options.event && *options.event != Event) return refuse("A trigger has one event");
  options.event = Event;
  return {};
}

Outcome no_second_controller(O&, Value) {
  return refuse("There is one slurmctld: when it fails, nobody is left to run a program");
}
Outcome no_slurmdbd(O&, Value) {
  return refuse(
      "There is no trigger for slurmdbd: use --primary_database_failure for the "
      "accounting file");
}
Outcome no_full_buffer(O&, Value) {
  return refuse(
      "There is no buffer for accounting that could be full: records wait in the journal");
}
Outcome no_such_hardware(O&, Value) {
  return refuse("There are neither burst buffers nor front end nodes");
}

Outcome set_job(O& options, Value value) {
  const auto id = parse_number<std::uint32_t>(value);
  if (!id || *id == 0) return refuse(fmt::format("Invalid jobid {}", value));
  options.job = JobId{*id};
  return {};
}
Outcome set_id(O& options, Value value) {
  options.id = parse_number<std::uint32_t>(value).value_or(0);  // 0: none is meant
  return {};
}
Outcome set_node(O& options, Value value) {
  options.has_node = true;
  options.nodes = value;
  return {};
}
Outcome set_offset(O& options, Value value) {
  constexpr std::int32_t kLargest = 32000;
  const auto seconds = parse_number<std::int32_t>(value);
  if (!seconds || *seconds > kLargest || *seconds < -kLargest)
    return refuse("The --offset parameter must be between +/-32000");
  options.offset = Seconds{*seconds};
  return {};
}
Outcome set_flags(O& options, Value value) {
  for (const std::string& flag : split_list(value)) {
    if (!iequals(flag, "PERM")) return refuse(fmt::format("Invalid flags {}", value));
    options.permanent = true;
  }
  return {};
}
Outcome set_user(O& options, Value value) {
  options.user = find_user(value);
  return options.user ? Outcome{} : refuse(fmt::format("Invalid user {}", value));
}

using enum TriggerEvent;
// clang-format off
constexpr auto kRows = std::to_array<CommandOption<O>>({
    {{{"backup_slurmctld_assumed_control", 'C', none}, "", "refused: there is one slurmctld"}, no_second_controller},
    {{{"backup_slurmctld_failure", 'B', none}, "", "refused: there is one slurmctld"}, no_second_controller},
    {{{"backup_slurmctld_resumed_operation", 'c', none}, "", "refused: there is one slurmctld"}, no_second_controller},
    {{{"burst_buffer", 0, none}, "", "refused: there are no burst buffers"}, no_such_hardware},
    {{{"clear", 0, none}, "", "remove triggers"}, flag<&O::clear>},
    {{{"cluster", 0, required}, "name", ""}, keep<&O::clusters>},
    {{{"clusters", 'M', required}, "name", "of this cluster", "SLURM_CLUSTERS"}, keep<&O::clusters>},
    {{{"down", 'd', none}, "", "when a node goes down"}, when<node_down>},
    {{{"drained", 'D', none}, "", "when a node is drained"}, when<node_drained>},
    {{{"fail", 'F', none}, "", "when a node is expected to fail"}, when<node_fail>},
    {{{"fini", 'f', none}, "", "when a job ends"}, when<job_end>},
    {{{"flags", 0, required}, "list", "PERM: not only once"}, set_flags},
    {{{"front_end", 0, none}, "", "refused: there are no front end nodes"}, no_such_hardware},
    {{{"get", 0, none}, "", "list triggers"}, flag<&O::get>},
    {{{"help", 0, none}, "", "show this list"}},
    {{{"id", 'i', required}, "number", "the trigger with this id"}, set_id},
    {{{"idle", 'I', none}, "", "when a node has been idle for the time of --offset"}, when<node_idle>},
    {{{"jobid", 'j', required}, "id", "about this job, or about its nodes"}, set_job},
    {{{"node", 'n', Argument::optional}, "list", "about these nodes, or about all"}, set_node},
    {{{"noheader", 'N', none}, "", "no header line"}, flag<&O::header, false>},
    {{{"offset", 'o', required}, "seconds", "so long after the event; before the time limit if negative"}, set_offset},
    {{{"primary_database_failure", 'h', none}, "", "when the accounting file cannot be written"}, when<database_failed>},
    {{{"primary_database_resumed_operation", 'H', none}, "", "when it can be written again"}, when<database_resumed>},
    {{{"primary_slurmctld_acct_buffer_full", 'e', none}, "", "refused: there is no such buffer"}, no_full_buffer},
    {{{"primary_slurmctld_failure", 'a', none}, "", "refused: there is one slurmctld"}, no_second_controller},
    {{{"primary_slurmctld_resumed_control", 'b', none}, "", "refused: there is one slurmctld"}, no_second_controller},
    {{{"primary_slurmctld_resumed_operation", 'A', none}, "", "when slurmctld has started again"}, when<controller_resumed>},
    {{{"primary_slurmdbd_failure", 'g', none}, "", "refused"}, no_slurmdbd},
    {{{"primary_slurmdbd_resumed_operation", 'G', none}, "", "refused"}, no_slurmdbd},
    {{{"program", 'p', required}, "path", "the program to run, and its arguments"}, keep<&O::program>},
    {{{"quiet", 'Q', none}, "", "say nothing of triggers that are there, or gone, already"}, flag<&O::quiet>},
    {{{"reconfig", 'r', none}, "", "when the configuration is read, or a node changes its state"}, when<reconfigured>},
    {{{"set", 0, none}, "", "add a trigger"}, flag<&O::set>},
    {{{"time", 't', none}, "", "when a job reaches its time limit"}, when<job_time>},
    {{{"up", 'u', none}, "", "when a node is back from being down"}, when<node_up>},
    {{{"usage", 0, none}, "", "show the options in short"}},
    {{{"user", 0, required}, "name", "triggers of this user, name or id"}, set_user},
    {{{"verbose", 'v', none}, "", "say what is done"}, count<&O::verbose>},
    {{{"version", 'V', none}, "", "show the version"}},
});
// clang-format on
constexpr CommandText kCommand{kProgram, "Runs programs when something happens to jobs or nodes.",
                               ""};

std::unexpected<Refusal> failed(std::string_view call, const Error& error) {
  return std::unexpected(Refusal{fmt::format("{}: {}\n", call, error.text()), kExitFailure});
}

// What --quiet passes over: what was wanted is so already.
bool is_harmless(const Error& error) {
  return error.text() == kDuplicateTrigger || error.text() == kNoSuchTrigger;
}

Outcome ask(Controller& controller, const O& options, std::string_view call,
            const wire::Request& request) {
  auto done = controller.ask_for<wire::Done>(request);
  if (done || (options.quiet && is_harmless(done.error()))) return {};
  return failed(call, done.error());
}

Result<Trigger> wanted_trigger(const O& o) {
  if (!o.event)
    return fail(
        "You must specify a trigger (--down, --up, --drained, --fail, --idle, --reconfig, --time,\n"
        "--fini, --primary_slurmctld_resumed_operation, --primary_database_failure or\n"
        "--primary_database_resumed_operation)");
  if (is_about_job(*o.event) && !o.job) return fail("You must specify a --jobid value");
  if (o.program.empty()) return fail("You must specify a --program value");
  if (!o.program.starts_with('/')) return fail("The --program value must start with \"/\"");
  Trigger trigger{.event = *o.event, .job = o.job, .offset = o.offset};
  if (!o.job && is_about_nodes(*o.event)) trigger.nodes = o.nodes;
  trigger.program = o.program;
  trigger.permanent = o.permanent;
  return trigger;
}

bool is_wanted(const O& o, const Trigger& trigger) {
  if (o.id && trigger.id != o.id) return false;
  if (o.job && trigger.job != o.job) return false;
  if (o.user && trigger.uid != *o.user) return false;
  if (o.has_node && resource_of(trigger) != "node") return false;
  return !o.event || trigger.event == *o.event;
}

Outcome list(Controller& controller, const O& options) {
  auto told = controller.ask_for<wire::TriggersReply>(wire::TriggersRequest{});
  if (!told) return failed("slurm_get_triggers", told.error());
  if (options.verbose)
    print_info(kProgram, fmt::format("Read {} trigger records", told->triggers.size()));
  std::erase_if(told->triggers, [&](const Trigger& t) { return !is_wanted(options, t); });
  const std::string text = triggers_text(told->triggers, NameLookup(), options.header);
  return write_out(text) ? Outcome{} : std::unexpected(Refusal{});
}

Outcome remove(Controller& controller, const O& options) {
  auto done = ask(controller, options, "slurm_clear_trigger",
                  wire::ClearTriggersRequest{options.id, options.job, options.user});
  if (!done || !options.verbose) return done;
  if (options.id)
    print_info(kProgram, fmt::format("trigger {} cleared", options.id));
  else if (options.job)
    print_info(kProgram, fmt::format("triggers for job {} cleared", options.job.value));
  else
    print_info(kProgram, fmt::format("triggers for user {} cleared", options.user->value));
  return {};
}

Outcome run(std::span<const std::string> words) {
  O options;
  auto rest = read_options<O>(kCommand, kRows, words, options);
  if (!rest) return std::unexpected(rest.error());
  if (options.set + options.get + options.clear != 1)
    return refuse("You must use exactly one of the following options: --set, --get or --clear");
  Trigger trigger;
  if (options.set) {
    auto wanted = wanted_trigger(options);
    if (!wanted) return refuse(wanted.error().text());
    trigger = std::move(*wanted);
  }
  if (options.clear && !options.id && !options.job && !options.user)
    return refuse("You must specify a --id, --jobid, or --user to clear");
  auto controller = Controller::connect();
  if (!controller) return refuse(controller.error().text());
  if (auto known = check_clusters(kProgram, options.clusters, controller->config().cluster_name);
      !known)
    return known;
  controller->announce_last();
  if (options.get) return list(*controller, options);
  if (options.clear) return remove(*controller, options);
  return ask(*controller, options, "slurm_set_trigger",
             wire::SetTriggerRequest{std::move(trigger)});
}

}  // namespace

std::vector<OptionText> strigger_options() { return {kRows.begin(), kRows.end()}; }

int strigger_main(int argc, char** argv) {
  auto done = run(std::vector<std::string>(argv + 1, argv + argc));
  return done ? 0 : print(done.error());
}

}  // namespace muster::cli
