// Decides which rows squeue prints, and in which order and form.
#include "cli/squeue/list.h"

#include <algorithm>

#include <fmt/format.h>

namespace muster::cli {

namespace {

constexpr std::string_view kFormat = "%.18i %.9P %.8j %.8u %.2t %.10M %.6D %R";
constexpr std::string_view kLongFormat = "%.18i %.9P %.8j %.8u %.8T %.10M %.9l %.6D %R";
constexpr std::string_view kStartFormat = "%.18i %.9P %.8j %.8u %.2t %.19S %.6D %20Y %R";
constexpr std::string_view kStepFormat = "%.15i %.8j %.9P %.8u %.9M %N";
constexpr std::string_view kSort = "P,t,-p";
constexpr std::string_view kStartSort = "S";
constexpr std::string_view kStepSort = "P,i";

// States of Slurm that no job is ever in here.
constexpr std::string_view kOtherStates[][2] = {
    {"CONFIGURING", "CF"}, {"RESIZING", "RS"},     {"RESV_DEL_HOLD", "RD"}, {"REQUEUED", "RQ"},
    {"REQUEUE_FED", "RF"}, {"REQUEUE_HOLD", "RH"}, {"REVOKED", "RV"},       {"SIGNALING", "SI"},
    {"STAGE_OUT", "SO"},   {"STOPPED", "ST"}};
constexpr std::string_view kValidStates =
    "PENDING,RUNNING,SUSPENDED,COMPLETED,CANCELLED,FAILED,TIMEOUT,NODE_FAIL,PREEMPTED,BOOT_FAIL,"
    "DEADLINE,"
    "OUT_OF_MEMORY,COMPLETING,CONFIGURING,RESIZING,RESV_DEL_HOLD,REQUEUED,REQUEUE_FED,REQUEUE_HOLD,"
    "REVOKED,SIGNALING,SPECIAL_EXIT,STAGE_OUT,STOPPED";

bool is_other_state(std::string_view name) {
  return std::ranges::any_of(kOtherStates, [&](const auto& state) {
    return iequals(name, state[0]) || iequals(name, state[1]);
  });
}

void add_job_rows(const QueueJob& from, const QueueOptions& options, QueueContext& context,
                  std::vector<JobRow>& rows) {
  const wire::JobLine& job = from.line;
  if (!job.is_array_record()) {
    rows.push_back({&from, &context});
    return;
  }
  const bool asked_for_one =
      job.waiting_tasks.size() == 1 && asked_tasks(options.filter.jobs, job.array_id);
  if (!options.array && !asked_for_one) {
    rows.push_back({&from, &context});
    return;
  }
  for (std::uint32_t task : job.waiting_tasks.ids()) rows.push_back({&from, &context, task});
}

// --priority: one row for each partition in which a job waits, among the requested partitions.
void split_by_partition(const QueueOptions& options, std::vector<JobRow>& rows) {
  std::vector<JobRow> split_rows;
  const auto& wanted = options.filter.partitions;
  for (const JobRow& row : rows) {
    const auto names = split(row.job().partition, ',');
    if (row.job().state != JobState::pending || names.size() < 2) {
      split_rows.push_back(row);
      continue;
    }
    const auto& priorities = row.view().partition_priorities;
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (!wanted.empty() && std::ranges::find(wanted, Text(names[i])) == wanted.end()) continue;
      JobRow& own = split_rows.emplace_back(row);
      own.partition = names[i];
      if (i < priorities.size()) own.partition_priority = priorities[i];
    }
  }
  rows = std::move(split_rows);
}

bool asks_for_step(const QueueOptions& options, const Job& job, StepId step) {
  if (options.filter.jobs.empty()) return true;
  for (const wire::JobRef& ref : options.filter.jobs) {
    bool same_job =
        ref.job == job.id ||
        (ref.job == job.array_id && (ref.tasks.empty() || ref.tasks.contains(job.task_id))) ||
        (job.is_het() && ref.job == job.het_id);
    if (same_job && (!ref.step || *ref.step == step)) return true;
  }
  return false;
}

void add_step_rows(const QueueJob& from, const QueueOptions& options, QueueContext& context,
                   std::vector<StepRow>& rows) {
  const Job& job = *from.view->job;
  for (const auto* steps : {&job.run->steps, &job.run->queued_steps})
    for (const auto& [id, step] : *steps)
      if (!is_ended(step.state) && asks_for_step(options, job, id)) {
        if (step.commands.empty()) rows.push_back({{&from, &context}, &step});
        for (CommandOfStep& command : commands_of(step)) {
          const CommandOfStep& kept = context.commands.emplace_back(std::move(command));
          rows.push_back({{&from, &context}, &kept.step, kept.suffix});
        }
      }
}

template <class Row>
std::expected<std::vector<SortKey<Row>>, Refusal> checked_sort(std::span<const Field<Row>> table,
                                                               std::string_view text) {
  auto keys = sort_keys(table, text);
  if (keys) return *keys;
  return std::unexpected(
      Refusal{error_lines("squeue", fmt::format("Invalid sort specification: {}", keys.error()))});
}

template <class Row>
Format<Row> chosen_format(const QueueOptions& options, std::span<const Field<Row>> table,
                          std::string_view usual, std::string_view kind,
                          std::vector<std::string>& complaints) {
  Format<Row> format = !options.long_format.empty() ? name_format(table, options.long_format)
                       : !options.format.empty()    ? letter_format(table, options.format)
                                                    : letter_format(table, usual);
  for (const std::string& unknown : format.unknown)
    complaints.push_back(fmt::format("Invalid {} format specification: {}", kind, unknown));
  return format;
}

}  // namespace

std::expected<WantedStates, Refusal> wanted_states(const std::vector<std::string>& names) {
  if (names.empty())
    return WantedStates{.all = false,
                        .completing = true,
                        .special_exit = true,
                        .states = {JobState::pending, JobState::running, JobState::suspended}};
  WantedStates wanted;
  for (const std::string& name : names) {
    if (iequals(name, "all"))
      wanted.all = true;
    else if (iequals(name, "completing") || iequals(name, "CG"))
      wanted.completing = true;
    else if (iequals(name, "special_exit") || iequals(name, "SE"))
      wanted.special_exit = true;
    else if (auto state = parse_job_state(name))
      wanted.states.insert(*state);
    else if (!is_other_state(name))
      return std::unexpected(Refusal{
          error_lines("squeue",
                      fmt::format("Invalid job state specified: {}\nValid job states include: {}",
                                  name, kValidStates)) +
          "\n"});
  }
  return wanted;
}

bool is_wanted(const WantedStates& wanted, const wire::JobLine& job) {
  if (wanted.all) return true;
  if (job.completing && wanted.completing) return true;
  if (job.shown == wire::ShownState::special_exit) return wanted.special_exit;
  return wanted.states.contains(job.state);
}

std::expected<QueueListing, Refusal> make_listing(const QueueOptions& options) {
  QueueListing listing;
  if (options.steps) {
    listing.step_format =
        chosen_format(options, step_fields(), kStepFormat, "job step", listing.complaints);
    auto keys = checked_sort(step_fields(),
                             options.sort.empty() ? kStepSort : std::string_view(options.sort));
    if (!keys) return std::unexpected(keys.error());
    listing.step_sort = std::move(*keys);
    return listing;
  }
  std::string_view usual = options.start ? kStartFormat : options.long_form ? kLongFormat : kFormat;
  listing.job_format = chosen_format(options, job_fields(), usual, "job", listing.complaints);
  std::string_view sort = options.start ? kStartSort : kSort;
  auto keys =
      checked_sort(job_fields(), options.sort.empty() ? sort : std::string_view(options.sort));
  if (!keys) return std::unexpected(keys.error());
  listing.job_sort = std::move(*keys);
  listing.job_sort.push_back({find_letter(job_fields(), 'i')});  // the last criterion
  listing.detail = options.json           ? wire::Detail::all
                   : options.by_partition ? wire::Detail::brief
                                          : wire::Detail::least;
  auto take = [&](const Field<JobRow>* field) {
    if (field) listing.detail = std::min(listing.detail, field->how.mark.detail);
  };
  for (const auto& cell : listing.job_format.cells) take(cell.field);
  for (const auto& key : listing.job_sort) take(key.field);
  return listing;
}

QueueJobs jobs_of(const JobViews& views, Time now) {
  QueueJobs jobs;
  jobs.reserve(views.size());
  for (const wire::JobView& view : views) jobs.push_back({line_of(*view.job, view, now), &view});
  return jobs;
}

void list_queue(QueueJobs& jobs, const QueueOptions& options, const QueueListing& listing,
                QueueContext& context, std::string& out) {
  if (options.header && (options.long_form || options.iterate_s > 0)) out += date_line(context.now);
  if (options.steps) {
    std::vector<StepRow> rows;
    for (const QueueJob& job : jobs) add_step_rows(job, options, context, rows);
    sort_records(rows, listing.step_sort);
    if (options.header) append_header(listing.step_format, out);
    append_records(listing.step_format, rows, out);
    return;
  }
  keep_asked_tasks(jobs, options.filter.jobs);
  if (!options.array) join_waiting_tasks(jobs, context);
  std::vector<JobRow> rows;
  rows.reserve(jobs.size());
  for (const QueueJob& job : jobs) add_job_rows(job, options, context, rows);
  if (options.by_partition) split_by_partition(options, rows);
  sort_records(rows, listing.job_sort);
  if (options.header) append_header(listing.job_format, out);
  append_records(listing.job_format, rows, out);
}

}  // namespace muster::cli
