// srun --mpi: the kinds of MPI start-up there are.
#pragma once

#include <expected>
#include <string>
#include <string_view>

#include "cli/lib/errors.h"

namespace muster::cli {

std::string mpi_list();  // --mpi=list

// The kind as steps know it, empty for none.
std::expected<std::string, Refusal> mpi_kind(std::string_view word);

}  // namespace muster::cli
