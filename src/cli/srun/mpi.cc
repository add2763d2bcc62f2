// Checks the word of --mpi.
#include "cli/srun/mpi.h"

#include <fmt/format.h>

namespace muster::cli {

std::string mpi_list() {
  return "MPI plugin types are...\n\tpmix\n\tnone\n\tpmi2\n"
         "specific pmix plugin versions available: pmix_v4\n";
}

std::expected<std::string, Refusal> mpi_kind(std::string_view word) {
  if (word.empty() || word == "none" || word == "openmpi") return "";
  if (word == "pmi2") return "pmi2";
  if (word == "pmix" || word == "pmix_v4") return "pmix";
  return std::unexpected(Refusal{
      error_lines("srun",
                  fmt::format("Invalid MPI type '{}', --mpi=list for acceptable types", word)),
      kExitFailure});
}

}  // namespace muster::cli
