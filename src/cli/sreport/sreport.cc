// sreport: reports of usage. One report from the arguments, or a dialogue of commands, one a line.
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>

#include <fmt/format.h>

#include "base/text/strings.h"
#include "cli/lib/command.h"
#include "cli/lib/dialogue.h"
#include "cli/lib/name_service.h"
#include "cli/options/options_words.h"
#include "cli/options/usage.h"
#include "cli/sacct/fetch.h"
#include "cli/sacctmgr/words.h"
#include "cli/sreport/session.h"

namespace muster::cli {

namespace {

constexpr std::array kOptions{
    WordOption{"all_clusters", 'a'},
    WordOption{"cluster", 0, Argument::required},
    WordOption{"clusters", 'M', Argument::required},
    WordOption{"federation"},
    WordOption{"help", 'h'},
    WordOption{"local"},
    WordOption{"noheader", 'n'},
    WordOption{"parsable", 'p'},
    WordOption{"parsable2", 'P'},
    WordOption{"quiet", 'Q'},
    WordOption{"time", 't', Argument::required},
    WordOption{"tres", 'T', Argument::required},
    WordOption{"usage"},
    WordOption{"verbose", 'v'},
    WordOption{"version", 'V'},
};

struct Report {
  ReportType type;
  std::string_view name;
  std::size_t least = 1;
  void (*make)(ReportSession& session, const ReportLine& line);
};

template <SizesBy By>
void sizes(ReportSession& session, const ReportLine& line) {
  report_job_sizes(session, line, By);
}

constexpr std::array kReports{
    Report{ReportType::cluster, "AccountUtilizationByUser", 1, report_accounts_by_user},
    Report{ReportType::cluster, "UserUtilizationByAccount", 18, report_users_by_account},
    Report{ReportType::cluster, "UserUtilizationByWckey", 18, report_users_by_wckey},
    Report{ReportType::cluster, "Utilization", 2, report_utilization},
    Report{ReportType::cluster, "WCKeyUtilizationByUser", 1, report_wckeys_by_user},
    Report{ReportType::job, "SizesByAccount", 1, sizes<SizesBy::account>},
    Report{ReportType::job, "SizesByAccountAndWckey", 15, sizes<SizesBy::account_and_wckey>},
    Report{ReportType::job, "SizesByWckey", 8, sizes<SizesBy::wckey>},
    Report{ReportType::reservation, "Utilization", 1, report_reservations},
    Report{ReportType::user, "TopUsage", 1, report_top_users},
};

struct TypeWord {
  ReportType type;
  std::string_view word;
  std::string_view reports;  // as an error lists them
};
constexpr std::array kTypes{
    TypeWord{ReportType::cluster, "cluster",
             "\"AccountUtilizationByUser\", \"UserUtilizationByAccount\", "
             "\"UserUtilizationByWckey\", \"Utilization\", and \"WCKeyUtilizationByUser\""},
    TypeWord{ReportType::job, "job",
             "\"SizesByAccount, SizesByAccountAndWcKey, and  SizesByWckey\""},
    TypeWord{ReportType::reservation, "reservation", "\"Utilization\""},
    TypeWord{ReportType::user, "user", "\"Top\""},
};

Time clock_now() { return std::chrono::floor<Millis>(std::chrono::system_clock::now()); }

void make_report(ReportSession& session, const TypeWord& type, std::span<const std::string> words) {
  if (words.empty())
    return session.fail(fmt::format("too few arguments for keyword:{}\n", type.word));
  for (const Report& report : kReports)
    if (report.type == type.type && is_short_for(words.front(), report.name, report.least)) {
      const ReportLine line = read_report_line(session, type.type, words.subspan(1), clock_now());
      return report.make(session, line);
    }
  session.fail(fmt::format("Not valid report {}\nValid {} reports are, {}\n", words.front(),
                           type.word, type.reports));
}

bool set_time_form(ReportSession& session, std::string_view word) {
  auto form = parse_time_form(word);
  if (form)
    session.time = *form;
  else
    session.fail(fmt::format("unknown time format {}\n", word));
  return form.has_value();
}

void run_words(ReportSession& session, const std::vector<std::string>& words) {
  const std::string& word = words.front();
  for (const TypeWord& type : kTypes)
    if (is_short_for(word, type.word, 1))
      return make_report(session, type, std::span(words).subspan(1));
  if (is_short_for(word, "time", 1)) {
    if (words.size() < 2) return session.fail("too few arguments for keyword:time\n");
    set_time_form(session, words[1]);
    return;
  }
  if (iequals(word, "parsable2")) {
    session.form = BarForm::bars;
  } else if (is_short_for(word, "parsable", 1)) {
    session.form = BarForm::bars_ending;
  } else if (is_short_for(word, "nonparsable", 4)) {
    session.form = BarForm::table;
  } else if (is_short_for(word, "noheader", 3)) {
    session.header = false;
  } else if (is_short_for(word, "help", 2)) {
    if (words.size() > 1) session.fail("too many arguments for keyword:help\n");
    if (!write_out(report_help())) session.exit_code = 1;
  } else if (is_short_for(word, "version", 4)) {
    if (!write_out(version_text())) session.exit_code = 1;
  } else if (is_short_for(word, "exit", 1) || is_short_for(word, "quit", 4)) {
    session.ended = true;
  } else if (!is_short_for(word, "quiet", 4) && !is_short_for(word, "verbose", 4)) {
    session.fail(fmt::format("invalid keyword: {}\n", word));
  }
}

// False where the option is all there is to do.
bool apply_option(ReportSession& session, std::string_view name, const std::string& value) {
  if (name == "all_clusters") session.all_clusters = true;
  if (name == "cluster" || name == "clusters") session.clusters = value;
  if (name == "noheader") session.header = false;
  if (name == "parsable") session.form = BarForm::bars_ending;
  if (name == "parsable2") session.form = BarForm::bars;
  if (name == "tres") session.tres = value;
  if (name == "time") return set_time_form(session, value);
  if (name == "help" || name == "usage") return write_out(report_help()), false;
  if (name == "version") return write_out(version_text()), false;
  return true;
}

}  // namespace

std::optional<TimeForm> parse_time_form(std::string_view word) {
  using Unit = TimeForm::Unit;
  if (is_short_for(word, "SecPer", 6)) return TimeForm{Unit::seconds, true};
  if (is_short_for(word, "MinPer", 6)) return TimeForm{Unit::minutes, true};
  if (is_short_for(word, "HourPer", 6)) return TimeForm{Unit::hours, true};
  if (is_short_for(word, "Seconds", 1)) return TimeForm{Unit::seconds, false};
  if (is_short_for(word, "Minutes", 1)) return TimeForm{Unit::minutes, false};
  if (is_short_for(word, "Hours", 1)) return TimeForm{Unit::hours, false};
  if (is_short_for(word, "Percent", 1)) return TimeForm{Unit::none, true};
  return std::nullopt;
}

std::string time_form_text(const TimeForm& form, std::string_view of) {
  static constexpr std::string_view kUnits[] = {"", "Seconds", "Minutes", "Hours"};
  if (form.unit == TimeForm::Unit::none) return "Percentage of Total";
  std::string text(of);
  if (!text.empty()) text += ' ';
  text += kUnits[static_cast<std::size_t>(form.unit)];
  return form.percent ? text + "/Percentage of Total" : text;
}

std::string usage_text(const TimeForm& form, std::uint64_t seconds, std::uint64_t whole) {
  static constexpr double kSeconds[] = {1, 1, 60, 3600};
  const double percent =
      whole == 0 ? 0 : static_cast<double>(seconds) / static_cast<double>(whole) * 100;
  if (form.unit == TimeForm::Unit::none) return fmt::format("{:.2f}%", percent);
  std::string text = fmt::format(
      "{:.0f}", static_cast<double>(seconds) / kSeconds[static_cast<std::size_t>(form.unit)]);
  if (form.percent) text += fmt::format("({:.2f}%)", percent);
  return text;
}

Controller* ReportSession::connect() {
  if (controller) return &*controller;
  auto made = connect_to_accounting(kSreport);
  if (!made) {
    fail(made.error().text);
    return nullptr;
  }
  controller.emplace(std::move(*made));
  return &*controller;
}

std::optional<std::vector<wire::AccountsRow>> ReportSession::rows(
    const wire::AccountsRequest& request) {
  Controller* to = connect();
  if (!to) return std::nullopt;
  auto reply = to->ask_for<wire::AccountsReply>(request);
  if (!reply) {
    controller.reset();
    fail(error_lines(kSreport, reply.error().text()));
    return std::nullopt;
  }
  if (reply->refusal) {
    const wire::AccountsNote& why = *reply->refusal;
    const std::string text = why.problem == wire::AccountsProblem::denied
                                 ? std::string("Access/permission denied")
                                 : fmt::format("{} {}", why.name.view(), why.detail);
    fail(error_lines(kSreport, trim(text)));
    return std::nullopt;
  }
  return std::move(reply->rows);
}

std::optional<std::vector<AccountingRow>> ReportSession::jobs(
    const wire::AccountingRequest& request) {
  Controller* to = connect();
  if (!to) return std::nullopt;
  auto rows = fetch_accounting(kSreport, *to, request);
  if (rows) return std::move(*rows);
  controller.reset();
  fail(rows.error().text);
  return std::nullopt;
}

void ReportSession::fail(std::string_view lines) {
  exit_code = 1;
  std::fflush(stdout);
  std::fwrite(lines.data(), 1, lines.size(), stderr);
}

std::string full_name_of(std::string_view user) {
  auto entry = user_named(user);
  return entry ? entry->full_name : std::string();
}

int sreport_main(int argc, char** argv) {
  ReportSession session;
  const std::vector<std::string> words(argv + 1, argv + argc);
  const auto split = split_options(kOptions, words, Operands::anywhere);
  if (!split) {
    fmt::print(stderr, "sreport: {}\nTry \"sreport --help\" for more information\n", split.error());
    return 1;
  }
  for (auto [variable, name] : {std::pair{"SREPORT_CLUSTER", "clusters"}, {"SREPORT_TRES", "tres"}})
    if (const char* value = std::getenv(variable)) apply_option(session, name, value);
  for (const GivenOption& given : split->options)
    if (!apply_option(session, kOptions[given.option].name, given.value)) return session.exit_code;
  if (split->rest.empty())
    hold_dialogue(kSreport, [&](const std::vector<std::string>& line) {
      run_words(session, line);
      return !session.ended;
    });
  else
    run_words(session, split->rest);
  if (std::fflush(stdout) != 0) return 1;
  return session.exit_code;
}

}  // namespace muster::cli
