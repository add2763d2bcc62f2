// Job sizes: how much jobs of which size used, by account or key. Made from the records of jobs.
#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "base/text/strings.h"
#include "cli/sacctmgr/words.h"
#include "cli/sreport/usage.h"
#include "wire/job_ref.h"

namespace muster::cli {

namespace {

constexpr int kSizeWidth = 13, kSizeWidthWithPercent = 20, kShareWidth = 12;

struct Group {
  std::map<std::uint64_t, std::uint64_t> used;  // by size: seconds times size, or jobs
  std::uint64_t total() const {
    std::uint64_t sum = 0;
    for (const auto& [size, amount] : used) sum += amount;
    return sum;
  }
};

struct Labels {
  Text cluster, name;
  auto operator<=>(const Labels&) const = default;
};
using Groups = std::map<Labels, Group>;

std::optional<wire::AccountingRequest> request_of(ReportSession& session, const ReportLine& line) {
  wire::AccountingRequest request;
  request.start = line.start;
  request.end = line.end;
  request.users = line.users;
  request.all_users = line.users.empty();
  request.partitions = line.partitions;
  request.nodes = line.nodes;
  request.clusters = line.clusters;
  request.duplicates = request.allocations_only = true;
  for (const Text& job : line.jobs) {
    auto ref = wire::parse_job_ref(job.view());
    if (!ref) {
      session.fail(error_lines(kSreport, fmt::format("Invalid job id {}", job.view())));
      return std::nullopt;
    }
    request.jobs.push_back(*ref);
  }
  return request;
}

class SizeReport {
 public:
  SizeReport(ReportSession& session, const ReportLine& line, SizesBy by, std::string tres)
      : session_(session), line_(line), by_(by), tres_(std::move(tres)) {}

  bool collect();
  void print(std::string_view tres_name);

 private:
  // The account that a job counts for; none where it counts for nothing.
  std::optional<Text> account_of(const AccountTree& tree, const Text& account) const;
  std::optional<Text> label_of(const AccountTree& tree, const JobRecord& job) const;
  void add(const AccountTree& tree, const JobRecord& job);
  std::vector<std::string> names_of_sizes(std::string_view unit) const;
  std::uint64_t in_size(const Group& group, std::size_t size) const;
  std::size_t sizes() const { return line_.each_size ? seen_.size() : line_.sizes.size() + 1; }
  std::string cell(std::uint64_t amount, std::uint64_t whole) const;

  ReportSession& session_;
  const ReportLine& line_;
  SizesBy by_;
  std::string tres_;
  Groups groups_;
  std::set<std::uint64_t> seen_;  // sizes of jobs
};

std::optional<Text> SizeReport::account_of(const AccountTree& tree, const Text& account) const {
  if (line_.flat) {
    if (!allows(line_.accounts, account.view())) return std::nullopt;
    return account;
  }
  const std::vector<Text> tops =
      line_.accounts.empty() ? std::vector<Text>{Text(kRoot)} : line_.accounts;
  // The highest of those that are asked for; or what lies between it and the job.
  std::optional<Text> found;
  Text below, at = account.empty() ? Text(kRoot) : account, child;
  for (; !at.empty(); child = at, at = tree.parent(at))
    if (allows(tops, at.view())) {
      found = at;
      below = child;
    }
  if (!found || !line_.accounts_as_parents) return found;
  if (below.empty()) return std::nullopt;  // in the parent itself
  return below;
}

std::optional<Text> SizeReport::label_of(const AccountTree& tree, const JobRecord& job) const {
  if (by_ != SizesBy::account) {
    if (job.wckey.empty() || !allows(line_.wckeys, job.wckey.view())) return std::nullopt;
    if (by_ == SizesBy::wckey) return job.wckey;
  }
  auto account = account_of(tree, job.account);
  if (account && by_ == SizesBy::account_and_wckey)
    account = Text(account->str() + ":" + job.wckey.str());
  return account;
}

void SizeReport::add(const AccountTree& tree, const JobRecord& job) {
  if (!is_set(job.started) || job.allocated_nodes == 0) return;
  if (!line_.gids.empty() && !allows(line_.gids, std::to_string(job.gid.value))) return;
  const Time from = std::max(job.started, line_.start);
  const Time until = is_set(job.ended) ? std::min(job.ended, line_.end) : line_.end;
  if (until <= from) return;
  const auto label = label_of(tree, job);
  if (!label) return;
  TresAmounts amounts;
  for (std::string_view part : split(job.allocated_tres.view(), ','))
    static_cast<void>(merge_tres_amounts(amounts, part));
  const std::uint64_t size = amount_of(amounts, tres_).value_or(0);
  auto seconds = static_cast<std::uint64_t>(unix_seconds(until) - unix_seconds(from));
  const auto paused = static_cast<std::uint64_t>(job.suspended / Seconds{1});
  // When it was suspended is not told here: only whole runs are corrected.
  if (from == job.started && until == job.ended) seconds -= std::min(seconds, paused);
  seen_.insert(size);
  groups_[{job.cluster, *label}].used[size] += line_.counts_jobs ? 1 : size * seconds;
}

bool SizeReport::collect() {
  const auto request = request_of(session_, line_);
  if (!request) return false;
  auto rows = session_.jobs(*request);
  if (!rows) return false;
  std::map<Text, AccountTree> trees;
  for (const AccountingRow& row : *rows) {
    auto tree = trees.find(row.job.cluster);
    if (tree == trees.end()) {
      auto fetched = AccountTree::fetch(session_, row.job.cluster);
      if (!fetched) return false;
      tree = trees.emplace(row.job.cluster, std::move(*fetched)).first;
    }
    tree->second.know(row.job.account);
    add(tree->second, row.job);
  }
  return true;
}

std::vector<std::string> SizeReport::names_of_sizes(std::string_view unit) const {
  std::vector<std::string> names;
  if (line_.each_size) {
    for (std::uint64_t size : seen_) names.push_back(fmt::format("{} {}", size, unit));
    return names;
  }
  std::uint64_t from = 0;
  for (std::uint64_t next : line_.sizes) {
    names.push_back(fmt::format("{}-{} {}", from, next - 1, unit));
    from = next;
  }
  names.push_back(fmt::format(">= {} {}", from, unit));
  return names;
}

std::uint64_t SizeReport::in_size(const Group& group, std::size_t size) const {
  if (line_.each_size) {
    auto found = group.used.find(*std::next(seen_.begin(), static_cast<std::ptrdiff_t>(size)));
    return found == group.used.end() ? 0 : found->second;
  }
  const std::uint64_t from = size == 0 ? 0 : line_.sizes[size - 1];
  const std::uint64_t until = size < line_.sizes.size() ? line_.sizes[size] : ~0ull;
  std::uint64_t sum = 0;
  for (const auto& [one, amount] : group.used)
    if (one >= from && one < until) sum += amount;
  return sum;
}

std::string SizeReport::cell(std::uint64_t amount, std::uint64_t whole) const {
  return line_.counts_jobs ? std::to_string(amount) : usage_text(session_.time, amount, whole);
}

struct Label {
  std::string_view word;
  std::size_t least;
  std::string_view name;
  int width;
};

void SizeReport::print(std::string_view tres_name) {
  const bool with_key = by_ == SizesBy::account_and_wckey;
  const Label name = by_ == SizesBy::wckey ? Label{"WCKey", 1, "Wckey", 9}
                     : with_key            ? Label{"Account", 1, "Account", -20}
                                           : Label{"Account", 1, "Account", 9};
  const Label cluster{"Cluster", 1, "Cluster", 9};
  std::vector<std::pair<const Label*, int>> columns;
  for (std::string_view part :
       split(line_.format.empty() ? "Cluster," + std::string(name.word) : line_.format, ',')) {
    const auto percent = part.find('%');
    const std::string_view word = part.substr(0, percent);
    const Label* label = is_short_for(word, name.word, 1)      ? &name
                         : is_short_for(word, cluster.word, 1) ? &cluster
                                                               : nullptr;
    if (!label) {
      session_.fail(fmt::format(" Unknown field '{}'\n", word));
      continue;
    }
    int width = label->width;
    if (percent != part.npos)
      if (auto given = parse_number<int>(part.substr(percent + 1)); given && *given > 0)
        width = std::min(*given, 1000);
    columns.emplace_back(label, width);
  }
  const bool wide =
      session_.time.percent && session_.time.unit != TimeForm::Unit::none && !line_.counts_jobs;
  std::vector<std::pair<std::string, int>> header;
  for (const auto& [label, width] : columns) header.emplace_back(label->name, width);
  for (std::string& size : names_of_sizes(tres_name.empty() ? "CPUs" : "TRES"))
    header.emplace_back(std::move(size), wide ? kSizeWidthWithPercent : kSizeWidth);
  header.emplace_back("% of cluster", kShareWidth);

  std::string out;
  auto put = [&](std::size_t column, std::string_view text) {
    if (session_.form == BarForm::table) {
      append_bar_cell(header[column].second, text, out);
      out += ' ';
      return;
    }
    out += text;
    if (column + 1 < header.size() || session_.form == BarForm::bars_ending) out += '|';
  };
  if (session_.header) {
    std::string unit = line_.counts_jobs ? "Units are in number of jobs ran"
                                         : "Time reported in " + time_form_text(session_.time, "");
    if (!tres_name.empty()) unit = fmt::format("TRES type is {}\n{}", tres_name, unit);
    append_report_block(by_ == SizesBy::wckey ? "Job Sizes by Wckey" : "Job Sizes", line_, true,
                        unit, out);
    for (std::size_t i = 0; i < header.size(); ++i) {
      const auto width = static_cast<std::size_t>(std::abs(header[i].second));
      put(i, session_.form == BarForm::table ? header[i].first.substr(0, width) : header[i].first);
    }
    out += '\n';
    if (session_.form == BarForm::table) {
      for (const auto& [text, width] : header)
        out.append(static_cast<std::size_t>(std::abs(width)), '-') += ' ';
      out += '\n';
    }
  }
  std::map<Text, std::uint64_t> wholes;  // of a cluster
  for (const auto& [labels, group] : groups_) wholes[labels.cluster] += group.total();
  for (const auto& [labels, group] : groups_) {
    std::size_t column = 0;
    for (const auto& [label, width] : columns)
      put(column++, (label == &cluster ? labels.cluster : labels.name).view());
    const std::uint64_t whole = wholes[labels.cluster];
    for (std::size_t size = 0; size < sizes(); ++size)
      put(column++, cell(in_size(group, size), whole));
    put(column, usage_text({TimeForm::Unit::none, true}, group.total(), whole));
    out += '\n';
  }
  if (!write_out(out)) session_.exit_code = 1;
}

}  // namespace

void report_job_sizes(ReportSession& session, const ReportLine& line, SizesBy by) {
  std::string tres = "cpu", name;
  if (!session.tres.empty()) {
    if (session.tres.find(',') != session.tres.npos)
      return session.fail(
          " Job report only supports a single --tres type.\n"
          " Generate a separate report for each TRES type.\n");
    const auto known = reported_tres(session, {});
    if (!known) return;
    tres = name = known->names.front().str();
  }
  if (!session.connect()) return;
  ReportLine own = line;
  if (own.clusters.empty() && !own.all_clusters && !session.all_clusters)
    own.clusters.emplace_back(session.controller->config().cluster_name);
  SizeReport report(session, own, by, std::move(tres));
  if (report.collect()) report.print(name);
}

}  // namespace muster::cli
