// sacctmgr: looks at and changes the accounts, users, limits and QOS of a site. One command from
// the arguments, or a dialogue of commands, one a line.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>

#include <fmt/format.h>

#include "base/text/strings.h"
#include "base/version.h"
#include "cli/lib/command.h"
#include "cli/lib/dialogue.h"
#include "cli/options/options_words.h"
#include "cli/options/usage.h"
#include "cli/sacctmgr/session.h"
#include "cli/tables/table_format.h"

namespace muster::cli {

namespace {

constexpr std::array kOptions{
    WordOption{"associations", 's'}, WordOption{"help", 'h'},
    WordOption{"immediate", 'i'},    WordOption{"noheader", 'n'},
    WordOption{"oneliner", 'o'},     WordOption{"parsable", 'p'},
    WordOption{"parsable2", 'P'},    WordOption{"quiet", 'Q'},
    WordOption{"readonly", 'r'},     WordOption{"usage"},
    WordOption{"verbose", 'v'},      WordOption{"version", 'V'},
};

// False where the option is all there is to do.
bool apply_option(SiteSession& session, std::string_view name) {
  if (name == "associations") session.associations = true;
  if (name == "immediate") session.immediate = true;
  if (name == "noheader") session.header = false;
  if (name == "parsable") session.form = BarForm::bars_ending;
  if (name == "parsable2") session.form = BarForm::bars;
  if (name == "quiet") session.quiet = true;
  if (name == "readonly") session.read_only = true;
  if (name == "verbose") ++session.verbose;
  if (name == "help" || name == "usage") return write_out(site_help()), false;
  if (name == "version") return write_out(version_text()), false;
  return true;
}

void ping(SiteSession& session) {
  const auto reply = session.ask_for<wire::PingReply>(wire::PingRequest{});
  if (!reply) return session.fail("slurmdbd(primary) is DOWN\n");
  fmt::print("slurmdbd(primary) at {} is UP\n", reply->host.view());
}

// Only slurmdbd: slurmctld has scontrol for that.
void tell_slurmdbd(SiteSession& session, std::string_view word, const wire::Request& request) {
  auto to = session.connect();
  if (!to) return session.fail(fmt::format("sacctmgr: error: {}\n", to.error().text()));
  if (!(*to)->config().asks_slurmdbd)
    return session.fail(fmt::format(
        "sacctmgr: error: {} is for a slurmdbd; here slurmctld keeps the accounts\n", word));
  if (auto done = (*to)->ask_for<wire::Done>(request); !done)
    session.fail(fmt::format("sacctmgr: error: {}\n", done.error().text()));
}

void run_words(SiteSession& session, const std::vector<std::string>& words) {
  const SiteCommand command = find_site_command(words.front());
  const SiteWords rest = SiteWords(words).subspan(1);
  switch (command) {
    case SiteCommand::show:
      return show_site(session, rest);
    case SiteCommand::add:
    case SiteCommand::modify:
    case SiteCommand::remove:
      return change_site(session, command, rest);
    case SiteCommand::dump:
      return dump_site(session, rest);
    case SiteCommand::load:
      return load_site(session, rest);
    case SiteCommand::ping:
      return ping(session);
    case SiteCommand::help:
      if (!write_out(site_help())) session.exit_code = 1;
      return;
    case SiteCommand::version:
      if (!write_out(version_text())) session.exit_code = 1;
      return;
    case SiteCommand::associations:
      session.associations = true;
      return;
    case SiteCommand::quiet:
      session.quiet = true;
      return;
    case SiteCommand::read_only:
      session.read_only = true;
      return;
    case SiteCommand::verbose:
      ++session.verbose;
      return;
    case SiteCommand::one_line:
      return;
    case SiteCommand::quit:
      session.ended = true;
      return;
    case SiteCommand::reconfigure:
      return tell_slurmdbd(session, words.front(), wire::ReconfigureRequest{});
    case SiteCommand::shutdown:
      return tell_slurmdbd(session, words.front(), wire::ShutdownRequest{});
    case SiteCommand::archive:
    case SiteCommand::clear:
      return session.fail(fmt::format("sacctmgr: error: {} is not supported\n", words.front()));
    case SiteCommand::none:
      return session.fail(fmt::format("invalid keyword: {}\n", words.front()));
  }
}

}  // namespace

Time clock_time() { return std::chrono::floor<Millis>(std::chrono::system_clock::now()); }

Result<Controller*> SiteSession::connect() {
  if (!controller) {
    auto config = find_cluster();
    if (!config) return std::unexpected(config.error());
    auto made = Controller::connect(for_accounting(std::move(*config)));
    if (!made) return std::unexpected(made.error());
    controller.emplace(std::move(*made));
  }
  return &*controller;
}

Result<Controller*> SiteSession::connect_slurmctld() {
  auto to = connect();
  if (!to || !(*to)->config().asks_slurmdbd) return to;
  if (!slurmctld) {
    auto made = Controller::connect();
    if (!made) return std::unexpected(made.error());
    slurmctld.emplace(std::move(*made));
  }
  return &*slurmctld;
}

std::optional<wire::AccountsReply> SiteSession::ask(const wire::AccountsRequest& request) {
  auto reply = ask_for<wire::AccountsReply>(request);
  if (reply) return std::move(*reply);
  controller.reset();
  fail(fmt::format("sacctmgr: error: {}\n", reply.error().text()));
  return std::nullopt;
}

std::string SiteSession::own_cluster() {
  auto to = connect();
  return to ? (*to)->config().cluster_name : std::string();
}

void SiteSession::fail(std::string_view lines) {
  exit_code = 1;
  std::fflush(stdout);
  std::fwrite(lines.data(), 1, lines.size(), stderr);
}

int sacctmgr_main(int argc, char** argv) {
  SiteSession session;
  const std::vector<std::string> words(argv + 1, argv + argc);
  const auto split = split_options(kOptions, words, Operands::anywhere);
  if (!split) {
    fmt::print(stderr, "sacctmgr: {}\nTry \"sacctmgr --help\" for more information\n",
               split.error());
    return 1;
  }
  for (const GivenOption& given : split->options)
    if (!apply_option(session, kOptions[given.option].name)) return 0;
  if (split->rest.empty())
    hold_dialogue("sacctmgr", [&](const std::vector<std::string>& line) {
      run_words(session, line);
      return !session.ended;
    });
  else
    run_words(session, split->rest);
  if (std::fflush(stdout) != 0) return 1;
  return session.exit_code;
}

}  // namespace muster::cli
