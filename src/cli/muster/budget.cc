// muster budget: what a user may still use, and which limit would stop the next job.
#include <algorithm>

#include <fmt/format.h>

#include "base/text/duration.h"
#include "base/text/size.h"
#include "base/text/strings.h"
#include "cli/lib/controller.h"
#include "cli/lib/errors.h"
#include "cli/lib/name_lookup.h"
#include "cli/muster/embedded.h"

namespace muster::cli {

namespace {

int budget_error(std::string_view text) {
  print_error("muster", text);
  return kExitFailure;
}

std::string amount(const wire::BudgetRow& row, double value) {
  const std::string_view limit = row.limit.view();
  const auto whole = static_cast<std::uint64_t>(std::max(0.0, value));
  if (limit == "MaxWall" || limit == "GrpWall")
    return format_elapsed(std::chrono::minutes(static_cast<std::int64_t>(whole)));
  if (limit.ends_with("=mem") && limit.find("Mins") == limit.npos) return fmt::format("{}M", whole);
  return std::to_string(whole);
}

std::string next_job(const wire::BudgetReply& reply) {
  if (!reply.refused.empty()) return fmt::format("would be refused [{}]", reply.refused.view());
  if (!reply.waits.empty()) return fmt::format("would wait [{}]", reply.waits.view());
  return "no limit stops a small job";
}

// A table whose first column is at the left, and all but the last of the others at the right.
std::string table(const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> widths(rows.front().size());
  for (const auto& row : rows)
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  std::string text;
  for (const auto& row : rows) {
    text += fmt::format("  {:<{}}", row[0], widths[0]);
    for (std::size_t i = 1; i + 1 < row.size(); ++i)
      text += fmt::format("  {:>{}}", row[i], widths[i]);
    text += "  " + row.back() + "\n";
  }
  return text;
}

std::string text_of(const std::string& user, const wire::BudgetReply& reply) {
  std::string text = fmt::format("Budget of {}: account {}, QOS {}, partition {}\n", user,
                                 reply.account.view(), reply.qos.view(), reply.partition.view());
  text += fmt::format("  next job:    {}\n", next_job(reply));
  if (reply.counts_shares) text += fmt::format("  fair share:  {:.3f}\n", reply.factor);
  std::vector<std::vector<std::string>> shared{{"LIMIT", "USED", "OF", "LEFT", "SET BY"}};
  std::vector<std::vector<std::string>> single{{"LIMIT OF A JOB", "IS", "SET BY"}};
  for (const wire::BudgetRow& row : reply.rows) {
    const auto most = static_cast<double>(row.most);
    if (row.used)
      shared.push_back({row.limit.str(), amount(row, *row.used), amount(row, most),
                        amount(row, most - *row.used), row.of.str()});
    else
      single.push_back({row.limit.str(), amount(row, most), row.of.str()});
  }
  if (shared.size() > 1) text += "\n" + table(shared);
  if (single.size() > 1) text += "\n" + table(single);
  if (reply.rows.empty()) text += "  No limits are set.\n";
  return text;
}

}  // namespace

int muster_budget(std::vector<std::string_view> args) {
  wire::BudgetRequest request{
      .uid = own_uid(), .user = {}, .account = {}, .qos = {}, .partition = {}};
  std::string user;
  for (std::string_view word : args) {
    const auto equals = word.find('=');
    const std::string_view key = word.substr(0, equals);
    const std::string_view value = equals == word.npos ? "" : word.substr(equals + 1);
    if (key == "--user" && !value.empty())
      user = std::string(value);
    else if (key == "--account" && !value.empty())
      request.account = Text(value);
    else if (key == "--qos" && !value.empty())
      request.qos = Text(value);
    else if (key == "--partition" && !value.empty())
      request.partition = Text(value);
    else
      return budget_error(
          fmt::format("budget takes --user=, --account=, --qos= and --partition=, not '{}'", word));
  }
  if (!user.empty()) {
    const auto known = find_user(user);
    if (!known) return budget_error(fmt::format("there is no user '{}'", user));
    request.uid = *known;
  }
  request.user = Text(NameLookup().user(request.uid));
  auto controller = Controller::connect();
  if (!controller) return budget_error(controller.error().text());
  auto reply = controller->ask_for<wire::BudgetReply>(request);
  if (!reply) return budget_error(reply.error().text());
  std::fputs(text_of(request.user.str(), *reply).c_str(), stdout);
  return 0;
}

}  // namespace muster::cli
