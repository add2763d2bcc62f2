// A job, or one task of a waiting array, as the fields of jobs read it: what squeue lists, what
// `scontrol show job` prints and what --json tells.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "cli/records/record_context.h"
#include "cli/tables/fields.h"
#include "wire/client_messages.h"
#include "wire/job_line.h"

namespace muster::cli {

// A job as it was sent: what the usual columns show, and the rest where a column asks for it.
struct QueueJob {
  wire::JobLine line;
  const wire::JobView* view = nullptr;
};

struct JobRow {
  // How much of a job (wire/brief.h, wire/job_line.h) has what the field shows.
  struct Mark {
    wire::Detail detail = wire::Detail::brief;
  };

  const QueueJob* from = nullptr;
  const RecordContext* context = nullptr;
  std::uint32_t task = kNoTask;  // of an array record that is listed task by task
  // --priority: one of the partitions that it waits for, and its priority there.
  std::string_view partition = {};
  std::optional<std::uint32_t> partition_priority = {};

  const wire::JobLine& line() const { return from->line; }
  // Of these a list of the least detail has none.
  const wire::JobView& view() const { return *from->view; }
  const Job& job() const { return *view().job; }
  const JobSpec& spec() const { return *job().spec; }
  const JobOwn& own() const { return job().own; }
  std::uint32_t priority() const { return partition_priority.value_or(line().priority); }
  Form form() const { return context->listed(); }
};

// One row for each field, in the order of --json.
std::span<const Field<JobRow>> job_fields();

// --- what more than one field shows ---

std::string job_id_text(const JobRow& row);   // "12", "12_3", "12_[4-9%2]", "12+1"
std::string task_id_text(const JobRow& row);  // "3", "4-9%2"; empty without tasks
std::int64_t job_id_key(const JobRow& row);   // by array, then by task
std::string_view job_state_text(const JobRow& row);
std::string_view job_state_code(const JobRow& row);
std::string reason_or_nodes(const JobRow& row);  // "(Resources)", "n[1-2]"
std::string_view user_name(const JobRow& row);
Time start_time(const JobRow& row);  // expected where it has not started
Time end_time(const JobRow& row);    // expected where it has not ended
std::uint64_t cpu_count(const JobRow& row);
std::string tres_text(const JobRow& row);  // that it has or, while it waits, asked for
std::string command_text(const JobOwn& own);

}  // namespace muster::cli
