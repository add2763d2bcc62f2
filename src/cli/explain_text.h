// What `muster explain` prints: an explanation in words, or as JSON.
#pragma once

#include <string>
#include <vector>

#include "model/accounting_record.h"
#include "wire/client_messages.h"

namespace muster::cli {

std::string explanation_text(const wire::ExplainReply& reply);
std::string explanation_json(const wire::ExplainReply& reply);

// Jobs that only accounting knows any more.
std::string ended_text(const std::vector<AccountingRow>& rows);
std::string ended_json(const std::vector<AccountingRow>& rows);

}  // namespace muster::cli
