// muster completion: the scripts for shells. muster complete: what they ask.
#include <fmt/format.h>

#include "base/text/strings.h"
#include "cli/lib/errors.h"
#include "cli/muster/completion.h"
#include "cli/muster/embedded.h"

namespace muster::cli {

namespace {

constexpr std::string_view kCommands =
    "sbatch srun salloc sattach sbcast scancel squeue sinfo sacct sstat sprio sshare sdiag "
    "strigger "
    "seff scontrol muster";

constexpr std::string_view kBash =
    R"sh(# Completion of Muster's commands for bash: eval "$(muster completion bash)"
_muster_complete() {
  local IFS=$'\n'
  COMPREPLY=($(muster complete "$COMP_CWORD" "${COMP_WORDS[@]}" 2>/dev/null | cut -f1))
}
complete -o default -F _muster_complete COMMANDS
)sh";

constexpr std::string_view kZsh = R"sh(#compdef COMMANDS
# Completion of Muster's commands for zsh: eval "$(muster completion zsh)" after compinit
_muster_complete() {
  local line
  local -a found
  for line in "${(@f)$(muster complete $((CURRENT - 1)) "${words[@]}" 2>/dev/null)}"; do
    [[ -n $line ]] && found+=("${${line%%$'\t'*}//:/\\:}:${line#*$'\t'}")
  done
  if (( $#found )); then _describe -V 'muster' found; else _files; fi
}
compdef _muster_complete COMMANDS
)sh";

constexpr std::string_view kFish =
    R"sh(# Completion of Muster's commands for fish: muster completion fish | source
function __muster_complete
  set -l words (commandline -opc) (commandline -ct)
  muster complete (math (count $words) - 1) $words 2>/dev/null
end
for command in COMMANDS
  complete -c $command -a '(__muster_complete)'
end
)sh";

// Descriptions come from users too: they must not contain what ends a line.
std::string one_line(std::string text) {
  for (char& c : text)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = ' ';
  return text;
}

}  // namespace

std::string completion_script(std::string_view shell) {
  std::string_view script = shell == "bash"   ? kBash
                            : shell == "zsh"  ? kZsh
                            : shell == "fish" ? kFish
                                              : std::string_view();
  return replace_all(script, "COMMANDS", kCommands);
}

int muster_completion(std::vector<std::string_view> args) {
  const std::string script = args.size() == 1 ? completion_script(args[0]) : std::string();
  if (script.empty()) {
    print_error("muster", "completion: say for which shell: bash, zsh or fish");
    return kExitFailure;
  }
  std::fputs(script.c_str(), stdout);
  return 0;
}

int muster_complete(std::vector<std::string_view> args) {
  const auto at = args.empty() ? std::nullopt : parse_number<std::size_t>(args[0]);
  if (!at || args.size() < 2) {
    print_error("muster", "complete: the number of a word and the words are expected");
    return kExitFailure;
  }
  std::vector<std::string> words(args.begin() + 1, args.end());
  if (words.size() == *at) words.emplace_back();
  std::string out;
  for (const Candidate& candidate : candidates_for(wanted_word(words, *at)))
    out += fmt::format("{}\t{}\n", one_line(candidate.word), one_line(candidate.about));
  std::fputs(out.c_str(), stdout);
  return 0;
}

}  // namespace muster::cli
