// The #SBATCH lines of a batch script.
#pragma once

#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "cli/options/options.h"

namespace muster::cli {

struct Directives {
  // The options of all lines in order; each hetjob line begins another component.
  std::vector<ParsedWords> components{ParsedWords{}};
  bool has_foreign_lines = false;  // #PBS or #BSUB, which are ignored
};

// Reads the comment lines at the top, up to the first line that is neither blank nor a comment.
// `path` is used in messages. Quoting: '...' and "..." keep blanks and #; a backslash takes the
// next character as it is (but never a blank outside of quotes); an unquoted # ends the line.
std::expected<Directives, Refusal> read_directives(std::string_view script, std::string_view path);

// The words of one line; `where` is "path: line 3" for messages.
std::expected<std::vector<std::string>, Refusal> split_directive(std::string_view line,
                                                                 std::string_view where);

}  // namespace muster::cli
