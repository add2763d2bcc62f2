// scontrol: shows and changes the state of the cluster. Reads one command from its arguments, or a
// dialogue with a command per line.
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "base/text/strings.h"
#include "cli/lib/command.h"
#include "cli/lib/dialogue.h"
#include "cli/lib/name_service.h"
#include "cli/options/option_lists.h"
#include "cli/options/options_words.h"
#include "cli/options/usage.h"
#include "cli/scontrol/session.h"

namespace muster::cli {

namespace {

constexpr std::size_t kAnyCount = 1'000'000;

struct Verb {
  std::string_view name;
  std::size_t shortest;             // the shortest abbreviation
  std::size_t least = 0, most = 0;  // number of words after the keyword
  void (*run)(ScontrolSession&, Words);
};

template <wire::JobAction kAction>
void act(ScontrolSession& session, Words words) {
  scontrol_job_action(session, kAction, words);
}

void refuse(ScontrolSession& session, std::string_view what, std::string_view why) {
  session.error("{}: {}", what, why);
}

void print_error_text(ScontrolSession& session, Words words) {
  auto number = parse_number<std::uint32_t>(words[0]);
  if (!number) return session.error("Invalid error number: {}", words[0]);
  // Smaller error numbers belong to the system.
  constexpr std::uint32_t kFirstOwn = 1000;
  if (*number < kFirstOwn)
    fmt::print("{}\n", std::strerror(static_cast<int>(*number)));
  else
    fmt::print("{}\n", error_text(static_cast<ErrorCode>(*number)));
}

using S = ScontrolSession;

constexpr std::array kVerbs{
    Verb{"all", 1, 0, 0, [](S& s, Words) { s.all = true; }},
    Verb{"hide", 2, 0, 0, [](S& s, Words) { s.all = false; }},
    Verb{"abort", 2, 0, 0, [](S& s, Words) { scontrol_abort(s); }},
    Verb{"cancel_reboot", 3, 1, 1, scontrol_cancel_reboot},
    Verb{"cluster", 2, 0, 1,
         [](S& s, Words w) {
           if (!w.empty()) refuse(s, "cluster", "other clusters are not supported yet");
         }},
    Verb{"completing", 3, 0, 0, [](S& s, Words) { scontrol_completing(s); }},
    Verb{"create", 2, 1, kAnyCount, scontrol_create},
    Verb{"delete", 3, 1, kAnyCount, scontrol_delete},
    Verb{"details", 3, 0, 0, [](S& s, Words) { ++s.details; }},
    Verb{"errnumstr", 2, 1, 1, print_error_text},
    Verb{"exit", 2, 0, 0, [](S& s, Words) { s.ended = true; }},
    Verb{"help", 2, 0, 0, [](S&, Words) { scontrol_print_help(); }},
    Verb{"hold", 2, 1, kAnyCount, act<wire::JobAction::hold>},
    Verb{"holdu", 5, 1, kAnyCount, act<wire::JobAction::user_hold>},
    Verb{"listpids", 1, 0, 2, scontrol_list_pids},
    Verb{"notify", 1, 2, kAnyCount, scontrol_notify},
    Verb{"oneliner", 1, 0, 0, [](S& s, Words) { s.one_line = true; }},
    Verb{"pidinfo", 3, 0, 1, scontrol_pid_info},
    Verb{"ping", 2, 0, 0, [](S& s, Words) { scontrol_ping(s); }},
    Verb{"quiet", 4, 0, 0, [](S& s, Words) { s.quiet = true; }},
    Verb{"quit", 4, 0, 0, [](S& s, Words) { s.ended = true; }},
    Verb{"reboot", 3, 0, 4, scontrol_reboot},
    Verb{"reconfigure", 3, 0, 0, [](S& s, Words) { scontrol_reconfigure(s); }},
    Verb{"release", 3, 1, kAnyCount, act<wire::JobAction::release>},
    Verb{"requeue", 3, 1, kAnyCount, act<wire::JobAction::requeue>},
    Verb{"requeuehold", 8, 1, kAnyCount, act<wire::JobAction::requeue_hold>},
    Verb{"resume", 3, 1, kAnyCount, act<wire::JobAction::resume>},
    Verb{"schedloglevel", 3, 1, 1,
         [](S& s, Words) {  // there is no SlurmSchedLogFile
           s.error("slurm_set_schedlog_level error: {}", error_text(ErrorCode::disabled));
         }},
    Verb{"setdebug", 4, 1, 2, scontrol_set_debug},
    Verb{"setdebugflags", 9, 1, 2, scontrol_set_debug_flags},
    Verb{"show", 2, 1, kAnyCount, scontrol_show},
    Verb{"shutdown", 4, 0, 1, scontrol_shutdown},
    Verb{"suspend", 2, 1, kAnyCount, act<wire::JobAction::suspend>},
    Verb{"takeover", 2, 0, 1, [](S& s, Words) { scontrol_takeover(s); }},
    // there is no auth/jwt
    Verb{"token", 3, 0, 2, [](S& s, Words) { s.error("Error fetching token"); }},
    Verb{"top", 3, 1, kAnyCount, act<wire::JobAction::top>},
    Verb{"uhold", 2, 1, kAnyCount, act<wire::JobAction::user_hold>},
    Verb{"update", 1, 0, kAnyCount, scontrol_update},
    Verb{"verbose", 4, 0, 0, [](S& s, Words) { s.verbose = true; }},
    Verb{"version", 4, 0, 0, [](S&, Words) { fmt::print("{}", version_text()); }},
    Verb{"wait_job", 1, 1, 1, scontrol_wait_job},
    Verb{"write", 1, 1, 3, scontrol_write},
};

constexpr std::array kCommandsNotYet{std::string_view("fsdampeningfactor")};

const Verb* find_verb(std::string_view word) {
  for (const Verb& verb : kVerbs)
    if (iequals(word, verb.name)) return &verb;
  for (const Verb& verb : kVerbs)
    if (word.size() >= verb.shortest && istarts_with(verb.name, word)) return &verb;
  return nullptr;
}

void run_words(ScontrolSession& session, Words words) {
  std::string_view keyword = words[0];
  const Verb* verb = find_verb(keyword);
  if (!verb) {
    for (std::string_view name : kCommandsNotYet)
      if (iequals(keyword, name))
        return refuse(session, name, error_text(ErrorCode::not_supported_yet));
    return session.error("invalid keyword: {}", keyword);
  }
  Words rest = words.subspan(1);
  // A command with too many words is not carried out: they may have been meant to narrow it.
  if (rest.size() > verb->most) return session.error("too many arguments for keyword:{}", keyword);
  if (rest.size() < verb->least) {
    bool creates = verb->name == "create" || verb->name == "delete";
    if (creates) return session.error("too few arguments for {} keyword", keyword);
    return session.error("too few arguments for keyword:{}", keyword);
  }
  verb->run(session, rest);
}

void run_dialogue(ScontrolSession& session) {
  hold_dialogue("scontrol", [&](const std::vector<std::string>& words) {
    run_words(session, words);
    return !session.ended;
  });
}

// --local, --sibling, --federation and -M name clusters of a federation; there is only this one.
constexpr std::array kOptions{
    WordOption{"all", 'a'},
    WordOption{"details", 'd'},
    WordOption{"federation"},
    WordOption{"future", 'F'},
    WordOption{"help", 'h'},
    WordOption{"hide"},
    WordOption{"json", 0, Argument::optional},
    WordOption{"local"},
    WordOption{"clusters", 'M', Argument::required},
    WordOption{"oneliner", 'o'},
    WordOption{"quiet", 'Q'},
    WordOption{"sibling"},
    WordOption{"uid", 'u', Argument::required},
    WordOption{"usage"},
    WordOption{"verbose", 'v'},
    WordOption{"version", 'V'},
};

// Options may follow, as in "show job 12 -d". But the operands of setdebugflags may begin with a
// minus ("-backfill").
Operands operands_of(std::span<const std::string> words) {
  const bool flags_follow = std::ranges::any_of(
      words, [](std::string_view word) { return istarts_with(word, "setdebugf"); });
  return flags_follow ? Operands::end_options : Operands::anywhere;
}

// Nothing to go on; otherwise the exit code to end with.
std::optional<int> apply_option(ScontrolSession& session, std::string_view name) {
  if (name == "all") session.all = true;
  if (name == "hide") session.all = false;
  if (name == "details") ++session.details;
  if (name == "future") session.future = true;
  if (name == "json") session.json = true;
  if (name == "oneliner") session.one_line = true;
  if (name == "quiet") session.quiet = true;
  if (name == "verbose") session.verbose = true;
  if (name == "help" || name == "usage") return scontrol_print_help(), 0;
  if (name == "version") return fmt::print("{}", version_text()), 0;
  if (name == "uid") {
    // The controller only knows the uid of the connection.
    fmt::print(stderr, "scontrol: error: --uid is not supported: use su or sudo\n");
    return 1;
  }
  return std::nullopt;
}

}  // namespace

Result<Controller*> ScontrolSession::connect() {
  if (!controller) {
    auto made = Controller::connect();
    if (!made) return std::unexpected(made.error());
    controller.emplace(std::move(*made));
  }
  return &*controller;
}

Result<wire::Answer> ScontrolSession::ask(const wire::Request& request) {
  auto to = connect();
  if (!to) return std::unexpected(to.error());
  auto answer = (*to)->ask(request);
  if (!answer && is_broken(answer.error().code)) disconnect();
  return answer;
}

ShowStyle ScontrolSession::style(Time now) const {
  ShowStyle style;
  style.one_line = one_line;
  style.details = details > 0;
  style.context.now = now;
  style.context.names = NameLookup(NameLookup::Unknown::number);
  style.context.task_text_limit = 0;
  return style;
}

std::vector<std::string_view> scontrol_words() {
  std::vector<std::string_view> words;
  for (const Verb& verb : kVerbs) words.push_back(verb.name);
  return words;
}

int scontrol_main(int argc, char** argv) {
  ScontrolSession session;
  if (const char* all = std::getenv("SCONTROL_ALL"); all && *all) session.all = true;
  std::vector<std::string> words(argv + 1, argv + argc);
  auto split = split_options(kOptions, words, operands_of(words));
  if (!split) {
    fmt::print(stderr, "scontrol: {}\nTry \"scontrol --help\" for more information\n",
               split.error());
    return 1;
  }
  for (const GivenOption& given : split->options)
    if (auto code = apply_option(session, kOptions[given.option].name)) return *code;
  if (split->rest.empty())
    run_dialogue(session);
  else
    run_words(session, split->rest);
  if (std::fflush(stdout) != 0) return 1;
  return session.exit_code;
}

}  // namespace muster::cli
