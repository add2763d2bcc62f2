// The table of signals.
#include "base/text/signals.h"

#include <array>
#include <csignal>
#include <cstring>

#include <fmt/format.h>

#include "base/text/strings.h"

namespace muster {

namespace {

struct Signal {
  std::string_view name;
  int number;
};
// If a number has several names, the first one is printed.
constexpr std::array<Signal, 34> kSignals{{
    {"HUP", SIGHUP},   {"INT", SIGINT},     {"QUIT", SIGQUIT}, {"ILL", SIGILL},
    {"TRAP", SIGTRAP}, {"ABRT", SIGABRT},   {"IOT", SIGABRT},  {"BUS", SIGBUS},
    {"FPE", SIGFPE},   {"KILL", SIGKILL},   {"USR1", SIGUSR1}, {"SEGV", SIGSEGV},
    {"USR2", SIGUSR2}, {"PIPE", SIGPIPE},   {"ALRM", SIGALRM}, {"TERM", SIGTERM},
    {"STKFLT", 16},    {"CHLD", SIGCHLD},   {"CLD", SIGCHLD},  {"CONT", SIGCONT},
    {"STOP", SIGSTOP}, {"TSTP", SIGTSTP},   {"TTIN", SIGTTIN}, {"TTOU", SIGTTOU},
    {"URG", SIGURG},   {"XCPU", SIGXCPU},   {"XFSZ", SIGXFSZ}, {"VTALRM", SIGVTALRM},
    {"PROF", SIGPROF}, {"WINCH", SIGWINCH}, {"IO", SIGIO},     {"POLL", SIGIO},
    {"PWR", SIGPWR},   {"SYS", SIGSYS},
}};
constexpr int kMaxSignal = 64;

}  // namespace

std::optional<int> parse_signal(std::string_view text) {
  text = trim(text);
  if (auto number = parse_number<int>(text)) {
    if (*number < 0 || *number > kMaxSignal) return std::nullopt;
    return number;
  }
  if (istarts_with(text, "SIG")) text.remove_prefix(3);
  for (const Signal& signal : kSignals)
    if (iequals(text, signal.name)) return signal.number;
  return std::nullopt;
}

std::string signal_name(int number) {
  for (const Signal& signal : kSignals)
    if (signal.number == number) return std::string(signal.name);
  return std::to_string(number);
}

std::string signal_description(int number) {
  if (const char* text = sigdescr_np(number)) return text;
  return fmt::format("Unknown signal {}", number);
}

}  // namespace muster
