// sacct's queries, on rows with any content.
#include "accounting/memory_store.h"
#include "accounting/query.h"
#include "fuzz/draw.h"
#include "fuzz/target.h"
#include "model/accounts/accounting_record.h"

namespace muster::fuzz {
namespace {

FUZZ_TARGET(sacct_question, dice_rolls()) {
  Draw draw(bytes);
  accounting::MemoryStore store;
  std::vector<AccountingRecord> rows;
  for (std::uint32_t n = draw.below(4); n > 0; --n) draw.fill(rows.emplace_back(JobRecord{}));
  (void)store.ingest(rows, 1);
  constexpr Time kNow = from_unix_seconds(1'800'000'000);
  while (!draw.empty()) {
    auto request = draw.message<wire::AccountingRequest>();
    if (!request) continue;
    auto answer = accounting::query(store, *request, kNow);
    if (!answer) continue;
    for (const AccountingRow& row : *answer) encode(row);
  }
}

}  // namespace
}  // namespace muster::fuzz
