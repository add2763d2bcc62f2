// mail_type: --mail-type and MailType= as text: names separated by commas.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace muster {

// The bits of MailType (job_spec.h). As in Slurm, unknown names are ignored if there is a known
// one; NONE cancels the names before it.
std::optional<std::uint32_t> parse_mail_types(std::string_view text);
std::string mail_types_text(std::uint32_t types);

}  // namespace muster
