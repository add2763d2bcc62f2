// A line of squeue: a job, one task of a waiting array, or a step.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "cli/lib/name_lookup.h"
#include "cli/tables/columns.h"
#include "cli/tables/step_commands.h"
#include "cli/tables/table_format.h"
#include "wire/client_messages.h"
#include "wire/job_line.h"

namespace muster::cli {

struct QueueContext {
  Time now;
  std::string cluster;
  TimeStyle times;
  NameLookup names;
  std::size_t task_text_limit = 64;    // SLURM_BITSTR_LEN; 0 = none
  bool no_convert = false;             // --noconvert
  std::deque<CommandOfStep> commands;  // that rows point to
  std::deque<std::string> texts;       // likewise
};

// A job as it was sent: what the usual columns show, and the rest where a column asks for it.
struct QueueJob {
  wire::JobLine line;
  const wire::JobView* view = nullptr;
  template <class V>
  void fields(V& v) {
    line.fields(v);
  }
};

struct JobRow {
  const QueueJob* from = nullptr;
  QueueContext* context = nullptr;
  std::uint32_t task = kNoTask;  // of an array record that is listed task by task
  // --priority: one of the partitions that it waits for, and its priority there.
  std::string_view partition = {};
  std::optional<std::uint32_t> partition_priority = {};

  const wire::JobLine& line() const { return from->line; }
  // Of these a list of the least detail has none.
  const wire::JobView& view() const { return *from->view; }
  const Job& job() const { return *view().job; }
  const JobSpec& spec() const { return *job().spec; }
  std::uint32_t priority() const { return partition_priority.value_or(line().priority); }
};

struct StepRow {
  JobRow owner;
  const Step* step = nullptr;
  std::string_view suffix = {};  // of one of its commands: "+0"
};

std::span<const Column<JobRow>> job_columns();
std::span<const Column<StepRow>> step_columns();

// --- what the columns print ---

std::string job_id_text(const JobRow& row);   // "12", "12_3", "12_[4-9%2]", "12+1"
std::string task_id_text(const JobRow& row);  // "3", "4-9%2", "N/A"
std::int64_t job_id_key(const JobRow& row);   // by array, then by task
std::string_view job_state_text(const JobRow& row);
std::string_view job_state_code(const JobRow& row);
std::string reason_or_nodes(const JobRow& row);  // "(Resources)", "n[1-2]"
std::string_view user_name(const JobRow& row);
Time start_time(const JobRow& row);  // expected where it has not started
Time end_time(const JobRow& row);    // expected where it has not ended
Minutes time_limit(const JobRow& row);
Seconds time_used(const JobRow& row);
std::string time_left_text(const JobRow& row);
std::uint64_t cpu_count(const JobRow& row);
std::uint64_t min_cpus(const JobSpec& spec);
std::string tres_text(const JobRow& row);
std::string memory_text(const JobRow& row);
std::string command_text(const JobOwn& own);
std::string output_path(const JobRow& row);
std::string error_path(const JobRow& row);
std::string step_id_text(const StepRow& row);
std::string step_nodes(const StepRow& row);

}  // namespace muster::cli
