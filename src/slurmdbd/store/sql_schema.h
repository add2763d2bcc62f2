// sql_schema: the tables of slurmdbd, and how those of earlier formats become today's.
//
//   muster_meta          numbers by name: the format, and the version of the site
//   muster_site          each row of the site by its key, encoded
//   muster_transactions  who changed what
//   muster_resets        usage that a cluster's controller has to forget and has not yet
//   muster_feeds         by cluster: the stream of its controller, and the last batch stored of it
//   muster_jobs          one row per run of a job: what queries filter on, and the encoded record
//   muster_steps         one row per step, by the row of its run
#pragma once

#include <cstdint>

#include "slurmdbd/store/sql.h"

namespace muster::dbd {

inline constexpr std::int64_t kFormatOfTables = 2;

// Makes the tables, or brings them to today's format. A newer format is refused, and nothing is
// touched.
Result<void> prepare_tables(SqlDatabase& database);

// For tests: the tables as that format had them.
Result<void> make_tables(SqlConnection& connection, std::int64_t format);

}  // namespace muster::dbd
