// Fields of a job that `scontrol show job` prints differently from squeue and --json.
#pragma once

#include "cli/records/job_row.h"

namespace muster::cli {

void show_array_id(const JobRow& row, FieldValue& value);  // only for tasks and arrays
void show_throttle(const JobRow& row, FieldValue& value);
void show_user(const JobRow& row, FieldValue& value);      // "alice(1000)"
void show_group(const JobRow& row, FieldValue& value);     // "alice(1000)"
void show_reason(const JobRow& row, FieldValue& value);    // a single word
void show_priority(const JobRow& row, FieldValue& value);  // 0 while held
void show_start(const JobRow& row, FieldValue& value);
void show_end(const JobRow& row, FieldValue& value);
void show_preempt_time(const JobRow& row, FieldValue& value);
// The time of suspension or, later, of resumption.
void say_suspended(const JobRow& row, FieldValue& value);
void say_before_suspension(const JobRow& row, FieldValue& value);  // the run time before it
void show_batch_host(const JobRow& row, FieldValue& value);
void show_nodes_asked(const JobRow& row, FieldValue& value);  // while pending: "2-4"
void show_cpus(const JobRow& row, FieldValue& value);
void show_cores_asked(const JobRow& row, FieldValue& value);
void show_tasks_per(const JobRow& row, FieldValue& value);
void show_features(const JobRow& row, FieldValue& value);
void show_prefer(const JobRow& row, FieldValue& value);
void show_memory_per_node(const JobRow& row, FieldValue& value);
void show_memory_per_cpu(const JobRow& row, FieldValue& value);
void show_switches(const JobRow& row, FieldValue& value);
void show_mail_user(const JobRow& row, FieldValue& value);

}  // namespace muster::cli
