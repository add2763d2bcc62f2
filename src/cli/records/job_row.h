// A job, or one task of a waiting array, as its fields read it: for squeue, `scontrol show job` and
// --json.
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

// A job as it was received: the fields of the usual columns, and the rest if a column needs it.
struct QueueJob {
  wire::JobLine line;
  const wire::JobView* view = nullptr;
};

struct JobRow {
  // The level of detail (wire/brief.h, wire/job_line.h) that the field needs.
  struct Mark {
    wire::Detail detail = wire::Detail::brief;
  };

  const QueueJob* from = nullptr;
  const RecordContext* context = nullptr;
  std::uint32_t task = kNoTask;  // for an array record that is listed task by task
  // --priority: one of the partitions in which it waits, with its priority there.
  std::string_view partition = {};
  std::optional<std::uint32_t> partition_priority = {};

  const wire::JobLine& line() const { return from->line; }
  // Not available at Detail::least.
  const wire::JobView& view() const { return *from->view; }
  const Job& job() const { return *view().job; }
  const JobSpec& spec() const { return *job().spec; }
  const JobOwn& own() const { return job().own; }
  std::uint32_t priority() const { return partition_priority.value_or(line().priority); }
  Form form() const { return context->listed(); }
};

// One row per field, in the order of --json.
std::span<const Field<JobRow>> job_fields();

// --- shared by several fields ---

std::string job_id_text(const JobRow& row);   // "12", "12_3", "12_[4-9%2]", "12+1"
std::string task_id_text(const JobRow& row);  // "3", "4-9%2"; empty for a job without tasks
std::int64_t job_id_key(const JobRow& row);   // sorts by array, then by task
std::string_view job_state_text(const JobRow& row);
std::string_view job_state_code(const JobRow& row);
std::string reason_or_nodes(const JobRow& row);  // "(Resources)", "n[1-2]"
std::string_view user_name(const JobRow& row);
Time start_time(const JobRow& row);  // the expected time if it has not started
Time end_time(const JobRow& row);    // the expected time if it has not ended
std::uint64_t cpu_count(const JobRow& row);
std::string tres_text(const JobRow& row);  // what it has or, while pending, asked for
std::string command_text(const JobOwn& own);

}  // namespace muster::cli
