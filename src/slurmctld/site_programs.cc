// Starts site programs on threads, and reports their ends on the loop.
#include "slurmctld/site_programs.h"

#include <grp.h>

#include <string>

#include "io/log.h"

namespace muster::daemon {

namespace {

constexpr Seconds kMailTimeout{60};

std::string group_name(Gid gid) {
  char buffer[4096];
  group entry{};
  group* found = nullptr;
  if (getgrgid_r(gid.value, &entry, buffer, sizeof buffer, &found) != 0 || !found)
    return std::to_string(gid.value);
  return found->gr_name;
}

using Which = controller::SiteProgramRun::Which;

// All others run for a job.
bool is_for_nodes(Which which) { return which >= Which::suspend; }

std::string_view key_of(Which which) {
  switch (which) {
    case Which::prolog_slurmctld:
      return "PrologSlurmctld";
    case Which::epilog_slurmctld:
      return "EpilogSlurmctld";
    case Which::mail:
      return "MailProg";
    case Which::suspend:
      return "SuspendProgram";
    case Which::resume:
      return "ResumeProgram";
    case Which::resume_fail:
      return "ResumeFailProgram";
    case Which::reservation_prolog:
      return "ResvProlog";
    case Which::reservation_epilog:
      return "ResvEpilog";
  }
  return {};
}

std::string path_of(Which which, const config::SlurmConf& conf) {
  return conf.value(key_of(which));
}

std::string subject_of(const controller::SiteProgramRun& run) {
  return is_for_nodes(run.which) ? "node " + run.arguments.front()
                                 : "job " + std::to_string(run.job.value);
}

}  // namespace

void SitePrograms::run(io::Loop& loop, const config::SlurmConf& conf,
                       controller::SiteProgramRun run) {
  io::ProgramRun program{
      .path = {}, .environment = run.environment, .arguments = run.arguments, .timeout = {}};
  program.path = path_of(run.which, conf);
  program.timeout = conf.program_timeout;
  if (is_for_nodes(run.which)) program.environment.push_back("SLURM_CONF=" + conf.path);
  if (is_for_nodes(run.which)) return start(run, std::move(program));
  // The name service may be slow, so this does not run on the loop.
  loop.run_blocking([this, run = std::move(run), program = std::move(program)]() mutable {
    program.environment.push_back("SLURM_JOB_GROUP=" + group_name(run.gid));
    start(run, std::move(program));
  });
}

void SitePrograms::start(const controller::SiteProgramRun& run, io::ProgramRun program) {
  if (run.which == Which::mail) return send_mail(run, std::move(program));
  programs_.run(std::move(program), [this, run](const io::ProgramEnd& end) {
    if (!end.succeeded)
      io::log_error("{}: {} failed: {} output:{}", subject_of(run), key_of(run.which), end.failure,
                    end.output);
    on_end_(run, end.succeeded);
  });
}

void SitePrograms::send_mail(const controller::SiteProgramRun& run, io::ProgramRun program) {
  program.timeout = kMailTimeout;
  mails_.run(std::move(program), [job = run.job](const io::ProgramEnd& end) {
    if (!end.succeeded)
      io::log_error("job {}: the mail was not sent: {} {}", job.value, end.failure, end.output);
  });
}

void SitePrograms::forget() {
  programs_.forget();
  mails_.forget();
}

}  // namespace muster::daemon
