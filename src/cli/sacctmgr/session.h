// One run of sacctmgr: its options, its connection, and what it will end with. Each command is a
// function over it that takes the words after the command's own.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/lib/controller.h"
#include "cli/sacctmgr/site_line.h"
#include "cli/tables/bar_table.h"
#include "wire/accounts.h"

namespace muster::cli {

struct SiteSession {
  bool immediate = false;     // -i
  bool header = true;         // -n
  bool quiet = false;         // -Q
  bool read_only = false;     // -r
  bool associations = false;  // -s
  int verbose = 0;
  BarForm form = BarForm::table;
  int exit_code = 0;
  bool ended = false;                    // exit, quit
  std::optional<Controller> controller;  // which keeps the accounts, or slurmdbd
  std::optional<Controller> slurmctld;   // where slurmdbd keeps them

  Result<Controller*> connect();
  Result<Controller*> connect_slurmctld();
  template <class Reply>
  Result<Reply> ask_for(const wire::Request& request) {
    auto to = connect();
    if (!to) return std::unexpected(to.error());
    return (*to)->ask_for<Reply>(request);
  }
  template <class Reply>
  Result<Reply> ask_slurmctld_for(const wire::Request& request) {
    auto to = connect_slurmctld();
    if (!to) return std::unexpected(to.error());
    return (*to)->ask_for<Reply>(request);
  }
  // Nothing where the answer could not be had; then it has been said why.
  std::optional<wire::AccountsReply> ask(const wire::AccountsRequest& request);
  std::string own_cluster();

  void fail(std::string_view lines);  // to stderr, whole lines
};

Time clock_time();

using SiteWords = std::span<const std::string>;

void show_site(SiteSession& session, SiteWords words);
void show_rows(SiteSession& session, SiteLine& line);
void change_site(SiteSession& session, SiteCommand command, SiteWords words);
void modify_jobs(SiteSession& session, const SiteLine& line);
// Says what would happen, asks, and has it done. True where something was changed.
bool carry_out(SiteSession& session, SiteLine& line);
void dump_site(SiteSession& session, SiteWords words);
void load_site(SiteSession& session, SiteWords words);
void show_configuration(SiteSession& session);

// "Would you like to commit changes?", with a time limit. Where -i is given nobody is asked.
bool agrees(const SiteSession& session, std::string_view question);
inline constexpr std::string_view kCommitQuestion = "Would you like to commit changes?";

std::string site_help();

}  // namespace muster::cli
