// Writes two files, one per kind of shell, that set a job's variables to its new size.
#include "cli/scontrol/new_size.h"

#include <array>

#include "cli/tables/table_format.h"
#include "io/files.h"
#include "model/node/resources.h"

namespace muster::cli {

namespace {

struct Shell {
  std::string_view suffix, set, assign, unset;
};
constexpr Shell kBash{"sh", "export", "=", "unset"};
constexpr Shell kCsh{"csh", "setenv", " ", "unsetenv"};

std::string new_variables(const Shell& shell, const wire::JobView& view) {
  std::vector<std::uint32_t> cpus;
  for (const NodeShare& share : view.job->run->allocation)
    cpus.push_back(static_cast<std::uint32_t>(share.cpus.size()));
  const std::string nodes = fmt::format("\"{}\"", view.nodes.view());
  const std::string count = std::to_string(cpus.size());
  const std::array<std::pair<std::string_view, std::string>, 5> values{{
      {"SLURM_NODELIST", nodes},
      {"SLURM_JOB_NODELIST", nodes},
      {"SLURM_NNODES", count},
      {"SLURM_JOB_NUM_NODES", count},
      {"SLURM_JOB_CPUS_PER_NODE", fmt::format("\"{}\"", compress_counts(cpus))},
  }};
  std::string text;
  for (const auto& [name, value] : values)
    text += fmt::format("{} {}{}{}\n", shell.set, name, shell.assign, value);
  for (std::string_view name : {"SLURM_NPROCS", "SLURM_NTASKS", "SLURM_TASKS_PER_NODE"})
    text += fmt::format("{} {}\n", shell.unset, name);
  return text;
}

}  // namespace

void write_new_size(ScontrolSession& session, const wire::JobRef& job) {
  if (env_text("SLURM_JOB_ID").empty()) return;
  wire::JobsRequest query;
  query.filter.jobs = {job};
  auto reply = session.ask_for<wire::JobsReply>(query);
  if (!reply) return session.error("slurm_load_jobs error: {}", reply.error().text());
  for (const wire::JobView& view : reply->jobs) {
    if (view.job->state != JobState::running) continue;
    const std::string name = fmt::format("slurm_job_{}_resize", view.job->id.value);
    for (const Shell& shell : {kBash, kCsh}) {
      const std::string path = fmt::format("{}.{}", name, shell.suffix);
      if (auto done = io::write_file_atomic(path, new_variables(shell, view), 0644); !done)
        return session.error("Could not create file {}: {}", path, done.error().text());
    }
    fmt::print(
        "To reset Slurm environment variables, execute\n"
        "  For bash or sh shells:  . ./{0}.sh\n"
        "  For csh shells:         source ./{0}.csh\n",
        name);
  }
}

}  // namespace muster::cli
