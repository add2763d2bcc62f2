// Values in sacct --json that are not plain: exit codes, CPU times, TRES, a job's steps.
#pragma once

#include "cli/sacct/row.h"

namespace muster::cli {

std::uint32_t exit_status(const AcctLine& line);
std::uint64_t user_cpu_us(const AcctLine& line);
std::uint64_t system_cpu_us(const AcctLine& line);
std::uint64_t total_cpu_us(const AcctLine& line);
const Text& allocated_tres(const AcctLine& line);

// For the tables of fields. All return true: the key is written.
bool write_exit_code(const AcctLine& line, Json& out);
bool write_derived_exit_code(const AcctLine& line, Json& out);
bool write_user_cpu(const AcctLine& line, Json& out);
bool write_system_cpu(const AcctLine& line, Json& out);
bool write_total_cpu(const AcctLine& line, Json& out);
bool write_allocated_tres(const AcctLine& line, Json& out);
bool write_requested_tres(const AcctLine& line, Json& out);
bool write_measures(const AcctLine& line, Json& out);  // the task with the most memory
bool write_no_measures(const AcctLine& line, Json& out);
bool write_frequency(const AcctLine& line, Json& out);
bool write_step_id(const AcctLine& line, Json& out);
bool write_steps(const AcctLine& line, Json& out);

}  // namespace muster::cli
