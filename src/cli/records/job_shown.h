// What `scontrol show job` says of a job in its own way, where squeue and --json say less or more.
#pragma once

#include "cli/records/job_row.h"

namespace muster::cli {

void show_array_id(const JobRow& row, FieldValue& value);  // of tasks and arrays only
void show_throttle(const JobRow& row, FieldValue& value);
void show_user(const JobRow& row, FieldValue& value);      // "alice(1000)"
void show_group(const JobRow& row, FieldValue& value);     // likewise
void show_reason(const JobRow& row, FieldValue& value);    // in one word
void show_priority(const JobRow& row, FieldValue& value);  // 0 while it is held
void show_start(const JobRow& row, FieldValue& value);
void show_end(const JobRow& row, FieldValue& value);
void show_preempt_time(const JobRow& row, FieldValue& value);
void say_suspended(const JobRow& row, FieldValue& value);  // when, or since when it runs again
void say_before_suspension(const JobRow& row, FieldValue& value);  // how long it had run until then
void show_batch_host(const JobRow& row, FieldValue& value);
void show_nodes_asked(const JobRow& row, FieldValue& value);  // while it waits: "2-4"
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
