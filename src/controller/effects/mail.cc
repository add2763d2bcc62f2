// Chooses the mails of an event, and writes their subjects.
#include "controller/effects/mail.h"

#include <fmt/format.h>

#include <algorithm>

#include "accounting/record.h"
#include "base/text/duration.h"
#include "base/text/strings.h"
#include "controller/effects/program_environment.h"

namespace muster::controller {

namespace {

std::string elapsed(Millis span) { return format_elapsed(std::chrono::floor<Seconds>(span)); }

std::string subject_of(const Job& job) {
  const std::string_view name = job.own.name;
  if (is_mailed_as_array(job))
    return fmt::format("Slurm Array Summary Job_id={0}_* ({0}) Name={1}", job.array_id.value, name);
  if (job.task_id != kNoTask)
    return fmt::format("Slurm Array Task Job_id={}_{} ({}) Name={}", job.array_id.value,
                       job.task_id, job.id.value, name);
  return fmt::format("Slurm Job_id={} Name={}", job.id.value, name);
}

bool has_failed(JobState state) {
  return state != JobState::completed && state != JobState::cancelled;
}

std::string_view occasion_of_end(std::uint32_t mail_type, bool failed) {
  if (failed && (mail_type & kMailFail)) return "Failed";
  return mail_type & kMailEnd ? "Ended" : "";
}

std::string exits_text(const ArrayExits& exits) {
  const char* requeued = exits.requeued ? ", with requeued tasks" : "";
  if (exits.max_signal) return fmt::format("Mixed, MaxSignal [{}]{}", exits.max_signal, requeued);
  std::string_view state = exits.max_code == 0   ? "COMPLETED"
                           : exits.min_code == 0 ? "Mixed"
                                                 : "FAILED";
  return fmt::format("{}, ExitCode [{}-{}]{}", state, exits.min_code, exits.max_code, requeued);
}

std::string time_limit_occasion(std::uint32_t type) {
  switch (type) {
    case kMailTimeLimit50:
      return "Reached 50% of time limit";
    case kMailTimeLimit80:
      return "Reached 80% of time limit";
    case kMailTimeLimit90:
      return "Reached 90% of time limit";
    default:
      return "Reached time limit";
  }
}

bool is_plain_address(std::string_view text) {
  auto is_alnum = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  };
  auto is_plain = [&](char c) {
    return is_alnum(c) || std::string_view("_.+-@%=").find(c) != std::string_view::npos;
  };
  return !text.empty() && (is_alnum(text.front()) || text.front() == '_') &&
         std::ranges::all_of(text, is_plain);
}

// A job's name may contain anything. A line end in a subject would begin another header.
std::string one_line(std::string text) {
  std::erase_if(text, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
  return text;
}

std::string recipient(const Settings& settings, const JobSpec& spec) {
  if (!spec.mail_user.empty() && check_mail_user(spec.mail_user)) return spec.mail_user.str();
  if (settings.mail_domain.empty()) return spec.user_name.str();
  return fmt::format("{}@{}", spec.user_name.view(), settings.mail_domain.view());
}

struct Composer {
  const Cluster& cluster;
  Time now;
  std::vector<SiteProgramRun> mails = {};

  void add(const Job& job, std::string_view occasion, const std::string& more) {
    const JobSpec& spec = *job.spec;
    SiteProgramRun mail{
        .which = SiteProgramRun::Which::mail,
        .job = job.id,
        .attempt = job.attempt,
        .gid = spec.gid,
        .environment = mail_environment(cluster, job, occasion, now),
        .arguments = {"-s", one_line(fmt::format("{} {}{}", subject_of(job), occasion, more)),
                      recipient(cluster.settings(), spec)}};
    mails.push_back(std::move(mail));
  }

  void add_end(const Job& job) {
    const std::uint32_t wanted = job.spec->mail_type;
    if (is_mailed_as_array(job)) {
      const Job* head = cluster.jobs.find(job.array_id);
      if (!head || !head->array->exits.all_ended()) return;
      const ArrayExits& exits = head->array->exits;
      std::string_view occasion = occasion_of_end(wanted, exits.max_code > 0);
      if (!occasion.empty()) add(*head, occasion, ", " + exits_text(exits));
      return;
    }
    std::string_view occasion = occasion_of_end(wanted, has_failed(job.state));
    if (occasion.empty()) return;
    const std::uint32_t status = accounting::accounted_exit(job);
    std::string code = status & 0x7f ? "" : fmt::format(", ExitCode {}", status >> 8 & 0xff);
    add(job, occasion,
        fmt::format(", Run time {}, {}{}", elapsed(job.run_time(now)), state_name(job.state),
                    code));
  }

  void operator()(const JobStarted& e) {
    const Job& job = cluster.jobs.at(e.job);
    if (!(job.spec->mail_type & kMailBegin) || is_mailed_as_array(job)) return;
    add(job, "Began", ", Queued time " + elapsed(queued_time(job)));
  }
  void operator()(const JobEnded& e) { add_end(cluster.jobs.at(e.job)); }
  void operator()(const PendingJobsEnded& e) {
    for (std::uint32_t id : e.jobs.ids())
      if (const Job& job = cluster.jobs.at(JobId{id}); job.spec->mail_type) add_end(job);
  }
  void operator()(const JobRequeued& e) {
    const Job& job = cluster.jobs.at(e.job);
    if (!(job.spec->mail_type & kMailRequeue)) return;
    add(job, "Requeued", is_mailed_as_array(job) ? "" : ", Run time " + elapsed(job.run_time(now)));
  }
  void operator()(const JobMailed& e) {
    const Job& job = cluster.jobs.at(e.job);
    if (e.types & kMailBegin) add(job, "Began", "");
    if (e.types & kMailInvalidDepend) add(job, "Invalid dependency", "");
    for (std::uint32_t type :
         {kMailTimeLimit50, kMailTimeLimit80, kMailTimeLimit90, kMailTimeLimit})
      if (e.types & type)
        add(job, time_limit_occasion(type), ", Run time " + elapsed(job.run_time(now)));
  }
  template <class Other>
  void operator()(const Other&) {}
};

}  // namespace

Result<void> check_mail_user(std::string_view recipients) {
  if (recipients.empty()) return {};
  for (std::string_view one : split(recipients, ','))
    if (!is_plain_address(trim(one)))
      return fail(ErrorCode::failure,
                  "Invalid --mail-user: neither an address nor the name of a user");
  return {};
}

bool is_mailed_as_array(const Job& job) {
  return job.array_id && !(job.spec->mail_type & kMailArrayTasks);
}

Millis queued_time(const Job& job) {
  return std::max(job.run->started - std::max(job.submitted, job.eligible), Millis{0});
}

std::vector<SiteProgramRun> mails_for(const Cluster& cluster, const Event& event, Time now) {
  Composer composer{cluster, now};
  std::visit(composer, event);
  return std::move(composer.mails);
}

}  // namespace muster::controller
