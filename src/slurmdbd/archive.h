// archive: rows that are purged, in files that can be read back. A file has a line that says what
// it is, then one row after the other: its length in four bytes, the lowest first, and its bytes.
#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "model/accounts/accounting_record.h"
#include "model/accounts/site_rows.h"

namespace muster::dbd {

struct ArchivedRow {
  std::variant<JobRecord, StepRecord, TransactionRow> row;
  Text cluster;  // of a step
  template <class V>
  void fields(V& v) {
    v(1, row);
    v(2, cluster);
  }
};

// Writes a new file `DIRECTORY/slurmdbd_KIND_archive_TIME.N`, and syncs it. Its name.
Result<std::string> write_archive(const std::string& directory, std::string_view kind, Time now,
                                  const std::vector<ArchivedRow>& rows);

Result<std::vector<ArchivedRow>> read_archive(std::string_view bytes);

}  // namespace muster::dbd
