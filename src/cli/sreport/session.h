// One run of sreport: its options, its connection, and what it will end with.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/lib/controller.h"
#include "cli/tables/bar_table.h"
#include "wire/accounts.h"

namespace muster::cli {

inline constexpr std::string_view kSreport = "sreport";

// -t: in what usage is given, and whether the share of the whole stands beside it.
struct TimeForm {
  enum class Unit : std::uint8_t { none, seconds, minutes, hours };
  Unit unit = Unit::minutes;
  bool percent = false;
};
std::optional<TimeForm> parse_time_form(std::string_view word);
std::string time_form_text(const TimeForm& form, std::string_view of);  // "CPU Minutes"
// `seconds` of `whole`: "1200", "5.21%", "1200(5.21%)".
std::string usage_text(const TimeForm& form, std::uint64_t seconds, std::uint64_t whole);

struct ReportSession {
  BarForm form = BarForm::table;
  bool header = true;
  bool all_clusters = false;
  TimeForm time;
  std::string tres;      // -T, as given
  std::string clusters;  // -M
  int exit_code = 0;
  bool ended = false;
  std::optional<Controller> controller;

  Controller* connect();  // nothing where there is none; then it has been said why
  std::optional<std::vector<wire::AccountsRow>> rows(const wire::AccountsRequest& request);
  std::optional<std::vector<AccountingRow>> jobs(const wire::AccountingRequest& request);
  void fail(std::string_view lines);  // to stderr, whole lines
};

// A report's words after its name.
struct ReportLine {
  Time start, end;  // full hours
  std::vector<Text> clusters, accounts, users, wckeys, names, nodes, partitions, jobs, gids;
  std::string format;
  bool tree = false, group = false, flat = false, accounts_as_parents = false, counts_jobs = false,
       all_clusters = false;
  std::size_t top_count = 10;
  std::vector<std::uint64_t> sizes = {50, 250, 500, 1000};  // where groups of jobs begin
  bool each_size = false;                                   // grouping=individual
};

enum class ReportType : std::uint8_t { cluster, job, reservation, user };
// Says what is wrong with it, and goes on without that.
ReportLine read_report_line(ReportSession& session, ReportType type,
                            std::span<const std::string> words, Time now);

// Whether a list that may be empty has the name.
bool allows(const std::vector<Text>& wanted, std::string_view name);
std::string full_name_of(std::string_view user);  // of the system's users; empty if unknown

// --- reports ---
void report_accounts_by_user(ReportSession& session, const ReportLine& line);
void report_users_by_account(ReportSession& session, const ReportLine& line);
void report_users_by_wckey(ReportSession& session, const ReportLine& line);
void report_wckeys_by_user(ReportSession& session, const ReportLine& line);
void report_utilization(ReportSession& session, const ReportLine& line);
void report_top_users(ReportSession& session, const ReportLine& line);
enum class SizesBy : std::uint8_t { account, account_and_wckey, wckey };
void report_job_sizes(ReportSession& session, const ReportLine& line, SizesBy by);
void report_reservations(ReportSession& session, const ReportLine& line);

std::string report_help();

}  // namespace muster::cli
