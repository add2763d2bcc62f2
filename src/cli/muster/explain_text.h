// What `muster explain` prints: an explanation as text, or as JSON.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/accounts/accounting_record.h"
#include "wire/client_messages.h"

namespace muster::cli {

std::string explanation_text(const wire::ExplainReply& reply);
std::string explanation_json(const wire::ExplainReply& reply);

// A line about all tasks of an array: how many are in which state, and which failed.
std::string array_text(const std::vector<wire::JobView>& tasks);

// Where a job's output is, and its last lines; what keeps it from being written here. Only for
// batch jobs that did not end well.
std::string output_text(const Job& job);

// "  why:       it waits for a GPU"
std::string explained_line(std::string_view label, std::string_view text);

// For jobs that only accounting still knows.
std::string ended_text(const std::vector<AccountingRow>& rows);
std::string ended_json(const std::vector<AccountingRow>& rows);

}  // namespace muster::cli
