// The file with which the owner of an embedded cluster extends its slurm.conf: partitions, QOS, any
// key, even nodes. `muster up` includes it, and never changes it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace muster::cli {

struct OwnSettings {
  bool has_lines = false;  // otherwise it need not be included
  std::vector<std::string> nodes, partitions;
};

// The text of a new file: comments that show what may be in it.
std::string_view first_settings_text();

Result<OwnSettings> read_own_settings(const std::string& path);

// Waits until the editor of the user ($VISUAL, $EDITOR, or one that is there) has ended.
Result<void> edit_file(const std::string& path);

}  // namespace muster::cli
