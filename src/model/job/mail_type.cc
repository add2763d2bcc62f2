// The table of mail types.
#include "model/job/mail_type.h"

#include <array>

#include "base/text/strings.h"
#include "model/job/job_spec.h"

namespace muster {

namespace {

struct MailName {
  std::uint32_t bit;
  std::string_view text;
};
// In display order.
constexpr std::array<MailName, 11> kMailNames{{{kMailInvalidDepend, "INVALID_DEPEND"},
                                               {kMailArrayTasks, "ARRAY_TASKS"},
                                               {kMailBegin, "BEGIN"},
                                               {kMailEnd, "END"},
                                               {kMailFail, "FAIL"},
                                               {kMailRequeue, "REQUEUE"},
                                               {kMailStageOut, "STAGE_OUT"},
                                               {kMailTimeLimit50, "TIME_LIMIT_50"},
                                               {kMailTimeLimit80, "TIME_LIMIT_80"},
                                               {kMailTimeLimit90, "TIME_LIMIT_90"},
                                               {kMailTimeLimit, "TIME_LIMIT"}}};
constexpr std::uint32_t kAll =
    kMailBegin | kMailEnd | kMailFail | kMailRequeue | kMailStageOut | kMailInvalidDepend;

}  // namespace

std::optional<std::uint32_t> parse_mail_types(std::string_view text) {
  std::uint32_t types = 0;
  bool known = false;
  for (std::string_view part : split(text, ',')) {
    std::string_view word = trim(part);
    for (const MailName& name : kMailNames) {
      if (!iequals(word, name.text)) continue;
      known = true;
      types |= name.bit;
    }
    if (iequals(word, "ALL")) types |= kAll;
    if (iequals(word, "NONE")) types = 0;
    known |= iequals(word, "ALL") || iequals(word, "NONE");
  }
  if (!known) return std::nullopt;
  return types;
}

std::string mail_types_text(std::uint32_t types) {
  std::string out;
  for (const MailName& name : kMailNames) {
    if (!(types & name.bit)) continue;
    if (!out.empty()) out += ',';
    out += name.text;
  }
  return out;
}

}  // namespace muster
