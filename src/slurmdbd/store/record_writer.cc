// Job ids start again when a controller's state is erased. So the same id with another submission
// time is another job, and the old row stays. Exceptions: a superseded record always means an
// existing row, and a row made for a step that came first has no submission time yet.
#include "slurmdbd/store/record_writer.h"

#include "base/codec/codec.h"
#include "base/text/strings.h"

namespace muster::dbd {

namespace {

std::int64_t in_milliseconds(Time t) { return t.time_since_epoch().count(); }
// Names are found whatever their case. What is too long for an index cannot be a user's name.
std::string name_key(const Text& name) { return lower(name).substr(0, 255); }
// A query for the id of an array or a heterogeneous job means all its parts.
std::int64_t array_of(const JobRecord& job) {
  return (job.het_id ? job.het_id : job.array_id).value;
}

}  // namespace

Result<RecordWriter::Run> RecordWriter::find_run(JobId job, Attempt attempt) {
  Run run;
  auto done = connection_.run(
      "SELECT job_index, submitted_ms, ended_ms FROM muster_jobs WHERE cluster = ? AND job = ? AND "
      "attempt = ? ORDER BY job_index DESC LIMIT 1",
      {cluster_.view(), std::int64_t{job.value}, std::int64_t{attempt.value}},
      [&](const SqlRow& row) -> Result<void> {
        run = {row.integer(0), row.integer(1), row.integer(2)};
        return {};
      });
  if (!done) return std::unexpected(done.error());
  return run;
}

Result<void> RecordWriter::put(const JobRecord& job) {
  auto run = find_run(job.job, job.attempt);
  if (!run) return std::unexpected(run.error());
  JobRecord named = job;
  named.cluster = cluster_;  // whatever the controller's spelling
  const std::string content = encode(named);
  const bool is_same = run->index != 0 && (job.superseded || run->submitted_ms == 0 ||
                                           run->submitted_ms == in_milliseconds(job.submitted));
  return is_same ? change(*run, job, content) : add(job, content);
}

// Most changes leave alone what the indexes are about.
Result<void> RecordWriter::change(const Run& run, const JobRecord& job, std::string_view content) {
  written_runs_[{job.job, job.attempt}] = run.index;
  const std::int64_t ended = in_milliseconds(job.ended);
  if (run.submitted_ms == 0) {
    const std::string user = name_key(job.user_name);
    return connection_.run(
        "UPDATE muster_jobs SET array_id = ?, uid = ?, user_name = ?, submitted_ms = ?, ended_ms = "
        "?, content = ? WHERE job_index = ?",
        {array_of(job), std::int64_t{job.uid.value}, std::string_view(user),
         in_milliseconds(job.submitted), ended, content, run.index});
  }
  if (run.ended_ms == ended)
    return connection_.run("UPDATE muster_jobs SET content = ? WHERE job_index = ?",
                           {content, run.index});
  return connection_.run("UPDATE muster_jobs SET content = ?, ended_ms = ? WHERE job_index = ?",
                         {content, ended, run.index});
}

Result<void> RecordWriter::add(const JobRecord& job, std::string_view content) {
  const std::string user = name_key(job.user_name);
  const SqlValue values[] = {cluster_.view(),
                             std::int64_t{job.job.value},
                             std::int64_t{job.attempt.value},
                             array_of(job),
                             std::int64_t{job.uid.value},
                             std::string_view(user),
                             in_milliseconds(job.submitted),
                             in_milliseconds(job.ended),
                             content};
  auto index = connection_.insert(
      "INSERT INTO muster_jobs(cluster, job, attempt, array_id, uid, user_name, submitted_ms, "
      "ended_ms, content) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
      values, "job_index");
  if (!index) return std::unexpected(index.error());
  written_runs_[{job.job, job.attempt}] = *index;
  return {};
}

// The row of the step's run; makes one if there is none.
Result<std::int64_t> RecordWriter::row_of(const StepRecord& step) {
  if (auto known = written_runs_.find({step.job, step.attempt}); known != written_runs_.end())
    return known->second;
  auto run = find_run(step.job, step.attempt);
  if (!run) return std::unexpected(run.error());
  if (run->index != 0) {
    written_runs_[{step.job, step.attempt}] = run->index;
    return run->index;
  }
  JobRecord job;
  job.job = step.job;
  job.attempt = step.attempt;
  job.state = JobState::running;
  job.started = job.eligible = step.started;
  if (auto made = put(job); !made) return std::unexpected(made.error());
  return written_runs_.at({step.job, step.attempt});
}

Result<void> RecordWriter::put(const StepRecord& step) {
  auto row = row_of(step);
  if (!row) return std::unexpected(row.error());
  const std::string content = encode(step);
  return connection_.run(
      upsert(connection_.dialect(), "muster_steps", {"job_index", "step"}, {"content"}),
      {*row, std::int64_t{step.step.value}, std::string_view(content)});
}

}  // namespace muster::dbd
