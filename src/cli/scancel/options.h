// The options of scancel: ids, filters, and what to do to the jobs.
#pragma once

#include <expected>
#include <span>
#include <string>
#include <vector>

#include "cli/lib/errors.h"
#include "wire/client_messages.h"

namespace muster::cli {

inline constexpr std::string_view kScancel = "scancel";

struct CancelOptions {
  std::vector<wire::JobRef> jobs;
  wire::JobFilter filter;
  bool has_filter = false;
  std::string filter_text;  // "job_name=x state=RUNNING ", for messages
  std::string wckey, clusters, sibling;
  int signal = 0;  // 0 = end the job
  bool batch_only = false, full = false;
  bool interactive = false, quiet = false;
  std::uint32_t verbose = 0;
};

// Reads variables (SCANCEL_*) first, then the words. Refuses a call that names no jobs.
std::expected<CancelOptions, Refusal> parse_cancel(std::span<const std::string> words);

}  // namespace muster::cli
