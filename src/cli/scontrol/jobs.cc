// scontrol commands on jobs: hold, release, requeue, suspend and others; notify; wait_job; write;
// completing.
#include <sys/stat.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "base/text/strings.h"
#include "cli/lib/own_job.h"
#include "cli/scontrol/config_file.h"
#include "cli/scontrol/session.h"

namespace muster::cli {

namespace {

bool is_hold_family(wire::JobAction action) {
  return action == wire::JobAction::hold || action == wire::JobAction::user_hold ||
         action == wire::JobAction::release;
}

void report(ScontrolSession& session, wire::JobAction action, const wire::JobRef& ref,
            const Error& error) {
  if (action == wire::JobAction::top)  // top acts on whole jobs
    return session.error("{} for job {}", error.text(), wire::job_ref_text(ref));
  session.error("{}", job_error_line(ref, error));
  // Scripts look for this line too. It is not printed for single tasks.
  if (is_hold_family(action) && ref.tasks.empty())
    session.error("slurm_suspend error: {}", error.text());
}

void send_action(ScontrolSession& session, const wire::JobActionRequest& request) {
  auto reply = session.ask_for<wire::CancelReply>(request);
  if (!reply) {
    if (request.jobs.size() == 1)
      return report(session, request.action, request.jobs[0], reply.error());
    return session.error("slurm_suspend error: {}", reply.error().text());
  }
  for (const auto& [ref, error] : reply->errors) report(session, request.action, ref, error);
}

constexpr std::string_view kJob = "job";  // "job=12" names an id, "jobn=me" a name

// "jobid=12"; a word without '=' has no key.
std::pair<std::string_view, std::string_view> key_and_value(std::string_view word) {
  auto equals = word.find('=');
  if (equals == word.npos) return {{}, word};
  return {word.substr(0, equals), word.substr(equals + 1)};
}

// "requeue Incomplete": ended jobs are left alone.
std::vector<wire::JobRef> without_ended(ScontrolSession& session,
                                        const std::vector<wire::JobRef>& refs) {
  wire::JobsRequest request;
  request.filter.jobs = refs;
  request.filter.all_states = true;
  auto reply = session.ask_for<wire::JobsReply>(request);
  std::vector<wire::JobRef> left;
  if (!reply) {
    session.error("{}", job_error_line(refs.front(), reply.error()));
    return left;
  }
  for (const wire::JobView& view : reply->jobs) {
    const Job& job = *view.job;
    if (is_ended(job.state)) continue;
    wire::JobRef ref{.job = job.array_id ? job.array_id : job.id};
    if (job.array_id && job.is_array_record())
      ref.tasks = job.waiting_tasks;
    else if (job.array_id)
      ref.tasks.insert(job.task_id);
    left.push_back(std::move(ref));
  }
  return left;
}

bool is_requeue(wire::JobAction action) {
  return action == wire::JobAction::requeue || action == wire::JobAction::requeue_hold;
}

bool write_file(const std::string& path, const std::string& content) {
  std::FILE* file = std::fopen(path.c_str(), "w");
  if (!file) return false;
  bool written = std::fwrite(content.data(), 1, content.size(), file) == content.size();
  return std::fclose(file) == 0 && written;
}

}  // namespace

std::string job_error_line(const wire::JobRef& ref, const Error& error) {
  // The text may name the job already.
  Error plain = error;
  if (plain.detail == wire::job_ref_text(ref)) plain.detail.clear();
  if (!ref.tasks.empty())
    return fmt::format("{}_{}: {}", ref.job.value, ranges_text(ref.tasks), plain.text());
  return fmt::format("{} for job {}", plain.text(), wire::job_ref_text(ref));
}

void scontrol_job_action(ScontrolSession& session, wire::JobAction action, Words words) {
  wire::JobActionRequest request;
  request.action = action;
  if (is_requeue(action)) {
    request.asking_job = own_job();
    outlive_end_of(request.asking_job);
  }
  const bool spares_ended =
      is_requeue(action) && words.size() > 1 && iequals(words[0], "Incomplete");
  for (const std::string& word : spares_ended ? words.subspan(1) : words) {
    auto [key, value] = key_and_value(word);
    if (action == wire::JobAction::requeue_hold && iequals(key, "state") &&
        iequals(value, "SpecialExit")) {
      request.action = wire::JobAction::requeue_special;
      continue;
    }
    const bool names =
        iequals(key, "name") || (istarts_with("jobname", key) && key.size() > kJob.size());
    if (names && is_hold_family(action)) {
      wire::JobActionRequest by_name;
      by_name.action = request.action;
      by_name.name = value;
      send_action(session, by_name);
      continue;
    }
    for (const std::string& item : split_job_list(istarts_with("jobid", key) ? value : word)) {
      auto ref = wire::parse_job_ref(item);
      if (ref && !ref->step) {
        request.jobs.push_back(std::move(*ref));
        continue;
      }
      Error invalid{ErrorCode::invalid_job_id, {}};
      session.error("{} for job {}", invalid.text(), item);
      if (is_hold_family(action)) session.error("slurm_suspend error: {}", invalid.text());
    }
  }
  if (spares_ended && !request.jobs.empty()) request.jobs = without_ended(session, request.jobs);
  if (!request.jobs.empty()) send_action(session, request);
}

void scontrol_notify(ScontrolSession& session, Words words) {
  auto ref = wire::parse_job_ref(words[0]);
  if (!ref) return session.error("Invalid job_id {}", words[0]);
  ref->step.reset();
  wire::JobActionRequest request{.action = wire::JobAction::notify, .jobs = {*ref}};
  request.message = join(std::vector(words.begin() + 1, words.end()), " ");
  auto reply = session.ask_for<wire::CancelReply>(request);
  if (!reply) return session.error("job notify failure: {}", reply.error().text());
  for (const auto& [job, error] : reply->errors)
    session.error("job notify failure: {}", error_text(error.code));
}

void scontrol_wait_job(ScontrolSession& session, Words words) {
  auto ref = wire::parse_job_ref(words[0]);
  if (!ref) return session.error("Invalid job id specified for job {}", words[0]);
  auto to = session.connect();
  if (!to) return session.error("scontrol: {}", to.error().text());
  auto sent = (*to)->send(wire::WaitJobRequest{
      .job = ref->job, .until_started = true, .step = {}, .until_ready = true});
  auto answer =
      sent ? (*to)->receive(Millis::max()) : Result<wire::Answer>(std::unexpected(sent.error()));
  const wire::JobsReply* reply = answer ? std::get_if<wire::JobsReply>(&*answer) : nullptr;
  bool runs = answer && (!reply || (!reply->jobs.empty() && is_active(reply->jobs[0].job->state)));
  if (!runs) return session.error("scontrol: Problem running job {}", ref->job.value);
  if (!session.quiet) fmt::print(stderr, "scontrol: Nodes are ready for job {}\n", ref->job.value);
}

void scontrol_write(ScontrolSession& session, Words words) {
  if (istarts_with("config", words[0]) && words[0].size() > 1) {
    if (words.size() > 2) return session.error("too many arguments for keyword:write");
    return write_config(session, words.size() > 1 ? words[1] : "");
  }
  if (words[0].size() < 5 || !istarts_with("batch_script", words[0]))
    return session.error("invalid write argument:{}", words[0]);
  if (words.size() < 2) return session.error("too few arguments for keyword:write {}", words[0]);
  auto ref = wire::parse_job_ref(words[1]);
  if (!ref) return session.error("Invalid job id specified for job {}", words[1]);
  auto reply = session.ask_for<wire::BatchScriptReply>(wire::BatchScriptRequest{ref->job});
  if (!reply) return session.error("job script retrieval failed: {}", reply.error().text());
  std::string path = words.size() > 2 ? words[2] : fmt::format("slurm-{}.sh", ref->job.value);
  if (path == "-") {
    std::fwrite(reply->script.data(), 1, reply->script.size(), stdout);
    if (!reply->script.ends_with('\n')) fmt::print("\n");
    return;
  }
  if (!write_file(path, reply->script))
    return session.error("failed to open file `{}`: {}", path, std::strerror(errno));
  if (!session.quiet) fmt::print("batch script for job {} written to {}\n", ref->job.value, path);
}

void scontrol_completing(ScontrolSession& session) {
  wire::JobsRequest request;
  request.filter.all_states = true;
  auto reply = session.ask_for<wire::JobsReply>(request);
  if (!reply) return session.error("slurm_load_jobs error: {}", reply.error().text());
  for (const wire::JobView& view : reply->jobs) {
    const Job& job = *view.job;
    if (!job.completing()) continue;
    std::string busy;
    for (std::size_t i = 0; i < job.run->allocation.size() && i < view.node_names.size(); ++i)
      if (job.run->unfinished.contains(job.run->allocation[i].node))
        busy += (busy.empty() ? "" : ",") + view.node_names[i].str();
    fmt::print("JobId={} EndTime={} CompletingTime={} Nodes(COMPLETING)={}\n", job.id.value,
               unix_seconds(job.run->ended),
               unix_seconds(reply->now) - unix_seconds(job.run->ended), busy);
  }
}

}  // namespace muster::cli
