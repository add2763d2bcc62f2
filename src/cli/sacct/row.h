// A line of sacct: a job or one of its steps.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "cli/records/record_context.h"
#include "cli/tables/fields.h"
#include "model/accounts/accounting_record.h"

namespace muster::cli {

struct UnitStyle {
  bool convert = true;  // 1024K prints as 1M
  char unit = 0;        // --units: always this unit
};

struct AcctContext : RecordContext {
  UnitStyle units;
};

struct AcctLine {
  // Which lines show the field; on other lines it is blank.
  enum class Lines : std::uint8_t { all, jobs, steps };
  struct Mark {
    int width = 0;  // negative = left-aligned
    Lines lines = Lines::all;
    Keyed<AcctLine> step = {};  // its key in the --json of a step
  };

  const AccountingRow* row = nullptr;
  const StepRecord* step = nullptr;  // none: the line of the job itself
  const AcctContext* context = nullptr;

  const JobRecord& job() const { return row->job; }
  Form form() const { return {.times = &context->times, .no_time = "Unknown"}; }
};

// One row per field, in the order of --json.
std::span<const Field<AcctLine>> acct_table();

// A field as a column.
struct AcctField {
  const Field<AcctLine>* field = nullptr;
  std::string_view name;
  int width = 0;  // negative = left-aligned

  void append(const AcctLine& line, std::string& out) const;
};

// All fields with a name, in the order of --helpformat. A name may be abbreviated.
std::span<const AcctField> acct_fields();
const AcctField* find_acct_field(std::string_view name);

// --- values of fields ---

std::string acct_job_id(const AcctLine& line);      // "12_3.batch"
std::string acct_job_id_raw(const AcctLine& line);  // "15.batch"
std::string acct_state(const AcctLine& line);       // "CANCELLED by 0"
Time acct_start(const AcctLine& line);              // of the first piece (--chunk)
Seconds acct_elapsed(const AcctLine& line);         // of all pieces
Seconds acct_run_elapsed(const AcctLine& line);     // of the last one
std::uint64_t acct_cpus(const AcctLine& line);
std::string exit_code_text(std::uint32_t wait_status);  // "3:0", "0:9"
// "00:00.012", "01:02:03", "1-00:00:00"
std::string cpu_time_text(std::uint64_t microseconds);
Usage acct_usage(const AcctLine& line);  // for a job: the sum of its steps
// An amount in `unit` (one of "BKMGTP"), converted to a larger unit if that is exact.
std::string amount_text(std::uint64_t amount, char unit, const UnitStyle& style);
// "cpu=4,mem=200M" with amounts in the requested style.
std::string tres_in_style(std::string_view tres, const UnitStyle& style);

}  // namespace muster::cli
