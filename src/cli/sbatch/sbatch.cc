// sbatch: reads a script, its options and the environment, and submits the job.
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include <fmt/format.h>

#include "base/text/date.h"
#include "base/text/string_block.h"
#include "base/text/strings.h"
#include "cli/allocation/advice.h"
#include "cli/lib/command.h"
#include "cli/lib/controller.h"
#include "cli/lib/notices.h"
#include "cli/options/components.h"
#include "cli/options/directives.h"
#include "cli/options/environment.h"
#include "cli/options/gres_help.h"
#include "cli/options/limits.h"
#include "cli/options/options.h"
#include "cli/options/submitter.h"
#include "cli/options/usage.h"
#include "cli/sbatch/script.h"
#include "cli/sbatch/wait.h"
#include "cli/tables/lists.h"

namespace muster::cli {

namespace {

Time now() { return std::chrono::floor<Millis>(std::chrono::system_clock::now()); }

using Components = std::vector<ParsedWords>;

// The last component of the command line names the script.
std::expected<BatchScript, Refusal> take_script(const std::optional<std::string>& wrap,
                                                const ParsedWords& words) {
  if (wrap) {
    if (!words.rest.empty())
      return std::unexpected(Refusal{
          error_lines(kSbatch, "Script arguments not permitted with --wrap option"), kExitFailure});
    return wrapped_script(*wrap);
  }
  if (words.rest.empty()) return read_script_from_stdin();
  return read_script(words.rest.front());
}

// The last --wrap counts. It replaces the script, so it is looked for before options are applied.
std::optional<std::string> wrap_of(const Components& components) {
  std::optional<std::string> command;
  for (const ParsedWords& words : components)
    for (const auto& [name, value] : words.options)
      if (name == "wrap") command = value;
  return command;
}

Outcome apply_sources(JobOptions& options, const ParsedWords& directives,
                      const ParsedWords& words) {
  if (auto done = apply(options, directives, Source::script); !done) return done;
  options.wrap.reset();  // it counts only on the command line
  if (auto done = apply_environment(options, [](const char* name) { return std::getenv(name); });
      !done)
    return done;
  return apply(options, words, Source::command_line);
}

// The options of each component: as many as the script or the command line has.
std::expected<std::vector<JobOptions>, Refusal> read_options(const BatchScript& script,
                                                             const Components& components) {
  Directives directives;
  const std::optional<std::string> wrap = wrap_of(components);
  if (!wrap) {
    const auto& command = components.back().rest;
    auto read = read_directives(script.text, command.empty() ? "stdin" : command.front());
    if (!read) return std::unexpected(read.error());
    directives = std::move(*read);
  }
  const std::size_t count = std::max(components.size(), directives.components.size());
  const ParsedWords nothing;
  auto part = [&](const Components& list, std::size_t i) -> const ParsedWords& {
    return i < list.size() ? list[i] : nothing;
  };
  std::vector<JobOptions> all;
  std::vector<std::string> warnings;
  for (std::size_t i = 0; i < count; ++i) {
    JobOptions options(Client::sbatch, now());
    if (i > 0)
      if (auto done = inherit(options, all.back()); !done) return std::unexpected(done.error());
    if (auto done = apply_sources(options, part(directives.components, i), part(components, i));
        !done)
      return std::unexpected(done.error());
    options.wrap = wrap;
    if (auto done = finish(options, warnings); !done) return std::unexpected(done.error());
    all.push_back(std::move(options));
  }
  if (directives.has_foreign_lines && !all.back().ignore_pbs)
    warnings.emplace_back("warning: #PBS and #BSUB lines are not read: not supported yet");
  if (!script.warning.empty()) warnings.push_back(script.warning);
  if (!all.back().quiet)
    for (const std::string& warning : warnings) print_info(kSbatch, warning);
  return all;
}

std::string submit_line(int argc, char** argv) {
  std::vector<std::string> words(argv, argv + argc);
  words.front() = kSbatch;
  return join(words, " ");
}

void fill_spec(JobOptions& options, const BatchScript& script, const ParsedWords& words) {
  JobRequest& spec = options.spec;
  spec.kind = JobKind::batch;
  set_submitter(spec, options);
  spec.command = Text(script.path);
  if (!options.wrap && words.rest.size() > 1)
    spec.script_args.assign(words.rest.begin() + 1, words.rest.end());
  char* here = ::get_current_dir_name();
  std::string directory = here ? here : "/";
  std::free(here);
  if (spec.work_dir.empty())
    spec.work_dir = Text(directory);
  else if (!spec.work_dir.view().starts_with('/'))
    spec.work_dir = Text(directory + "/" + spec.work_dir.str());
}

// A job has the name of its script. A job from stdin gets its name only after its environment is
// made, because Slurm sets no SLURM_JOB_NAME for it.
void name_after_script(JobOptions& options, const BatchScript& script) {
  if (options.is_given("job-name")) return;
  if (options.wrap)
    options.spec.name = "wrap";
  else if (!script.path.empty())
    options.spec.name = Text(std::string_view(script.path).substr(script.path.rfind('/') + 1));
}

int submission_failed(const JobOptions& options, const Error& error) {
  if (const std::string line = line_before(error); !line.empty()) print_error(kSbatch, line);
  std::string text = error.shown();
  if (options.test_only)
    std::fputs(fmt::format("allocation failure: {}\n", text).c_str(), stderr);
  else if (error.code == ErrorCode::invalid_gres)
    print_error(kSbatch, text);
  else
    print_error(kSbatch, fmt::format("Batch job submission failed: {}", text));
  advise(kSbatch, options, error);
  return failure_code();
}

int report(Controller& controller, const JobOptions& options, const wire::SubmitReply& reply) {
  if (!options.quiet)
    for (const std::string& warning : reply.warnings) print_info(kSbatch, warning);
  if (options.test_only) {
    if (!options.quiet)
      print_info(
          kSbatch,
          fmt::format("Job {} to start at {} using {} processors on nodes {} in partition {}",
                      reply.job.value, format_date(reply.would_start), reply.cpus,
                      reply.nodes.view(), reply.partition.view()));
    return 0;
  }
  // A user who named clusters is told which one has the job.
  std::string cluster = options.clusters.empty() ? "" : controller.config().cluster_name;
  std::string_view before = options.parsable ? ";" : " on cluster ";
  if (!cluster.empty()) cluster.insert(0, before);
  if (options.parsable)
    std::fputs(fmt::format("{}{}\n", reply.job.value, cluster).c_str(), stdout);
  else if (!options.quiet)
    std::fputs(fmt::format("Submitted batch job {}{}\n", reply.job.value, cluster).c_str(), stdout);
  std::fflush(stdout);
  return options.wait_for_end ? wait_for_end(controller, reply.job) : 0;
}

// --gres=help needs no script.
bool asks_gres_list(const Components& components) {
  return std::ranges::any_of(components, [](const ParsedWords& words) {
    return std::ranges::any_of(words.options, [](const auto& option) {
      return option.first == "gres" && iequals(option.second, "help");
    });
  });
}

int print_gres_list() {
  auto controller = Controller::connect();
  if (controller) return list_gres(kSbatch, *controller);
  print_error(kSbatch, controller.error().text());
  return failure_code();
}

// Options of the whole job may be given for any component; the last component has all of them.
int submit(const std::vector<JobOptions>& components, BatchScript script,
           std::vector<std::string> environment) {
  const JobOptions& options = components.back();
  auto controller = Controller::connect();
  if (!controller) return submission_failed(options, controller.error());
  const std::string& own = controller->config().cluster_name;
  if (auto known = check_clusters(kSbatch, options.clusters, own); !known)
    return print(known.error());
  if (options.list_gres) return list_gres(kSbatch, *controller);
  wire::SubmitRequest request;
  request.spec = Cow<JobRequest>(components.front().spec);
  for (std::size_t i = 1; i < components.size(); ++i)
    request.components.emplace_back(components[i].spec);
  JobEnvironment entries(std::move(environment));
  if (is_embedded(controller->config()) && begins_login_bash(script.text) &&
      !entries.find("BASH_ENV"))
    entries.set("BASH_ENV", login_path_file());
  request.script = std::move(script.text);
  add_limit_variables(entries, options, controller->config());
  request.environment = StringBlock(std::move(entries).take()).bytes();
  request.test_only = options.test_only;
  if (!options.wait_for_end) controller->announce_last();
  auto reply = controller->ask_for<wire::SubmitReply>(request);
  for (const std::string& line : take_notices())
    reply ? print_info(kSbatch, line) : print_error(kSbatch, line);
  if (!reply) return submission_failed(options, reply.error());
  return report(*controller, options, *reply);
}

}  // namespace

int sbatch_main(int argc, char** argv) {
  auto words = parse_components(Client::sbatch, std::vector<std::string>(argv + 1, argv + argc));
  if (!words) return print(words.error());
  for (const ParsedWords& component : *words)
    if (answer_help(Client::sbatch, component)) return 0;

  if (asks_gres_list(*words)) return print_gres_list();
  auto script = take_script(wrap_of(*words), words->back());
  if (!script) return print(script.error());
  auto components = read_options(*script, *words);
  if (!components) return print(components.error());
  for (JobOptions& options : *components) {
    if (options.verbose > 0) print_info(kSbatch, describe(options));
    name_after_script(options, *script);
  }
  auto environment = batch_environment(components->front(), JobEnvironment::of_process());
  if (!environment) return print(environment.error());
  JobEnvironment entries(std::move(environment->entries));
  if (components->size() > 1) add_group_variables(entries, *components);
  for (JobOptions& options : *components) {
    if (options.spec.name.empty() && !options.is_given("job-name")) options.spec.name = kSbatch;
    fill_spec(options, *script, words->back());
    options.spec.submit_line = Text(submit_line(argc, argv));
    options.spec.umask = environment->umask;
    options.spec.get_user_env = environment->get_user_env;
  }
  return submit(*components, std::move(*script), std::move(entries).take());
}

}  // namespace muster::cli
