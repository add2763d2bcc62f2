// How commands print errors and which exit codes they end with.
#include "cli/lib/errors.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include <fmt/format.h>

#include "base/text/strings.h"

namespace muster::cli {

namespace {

std::string prefixed(std::string_view program, std::string_view kind, std::string_view text) {
  std::string out;
  for (std::string_view line : split(text, '\n'))
    out += fmt::format("{}: {}{}\n", program, kind, line);
  return out;
}

}  // namespace

std::string error_lines(std::string_view program, std::string_view text) {
  return prefixed(program, "error: ", text);
}

std::string fatal_line(std::string_view program, std::string_view text) {
  return prefixed(program, "fatal: ", text);
}

void print_error(std::string_view program, std::string_view text) {
  std::fputs(error_lines(program, text).c_str(), stderr);
}

void print_info(std::string_view program, std::string_view text) {
  std::fputs(prefixed(program, "", text).c_str(), stderr);
}

int print(const Refusal& refusal) {
  std::fputs(refusal.text.c_str(), refusal.exit_code == 0 ? stdout : stderr);
  return refusal.exit_code;
}

namespace {

int code_from(const char* variable, int otherwise) {
  if (const char* text = std::getenv(variable))
    if (auto code = parse_number<int>(text); code && *code != 0) return *code & 0xff;
  return otherwise;
}

}  // namespace

int failure_code() { return code_from("SLURM_EXIT_ERROR", kExitFailure); }

int immediate_failure_code() { return code_from("SLURM_EXIT_IMMEDIATE", failure_code()); }

std::string line_before(const Error& error) {
  switch (error.code) {
    case ErrorCode::invalid_partition:
      return "invalid partition specified: " + error.detail;
    case ErrorCode::accounting_policy:
    case ErrorCode::access_denied:
    case ErrorCode::requested_node_config_unavailable:
      return error.detail;
    default:
      return {};
  }
}

bool is_for_people(bool verbose) { return verbose || isatty(STDERR_FILENO) == 1; }

}  // namespace muster::cli
