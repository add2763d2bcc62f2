// srun --mpi: the supported kinds of MPI start-up.
#pragma once

#include <expected>
#include <string>
#include <string_view>

#include "cli/lib/errors.h"

namespace muster::cli {

std::string mpi_list();  // --mpi=list

// The kind in the form that steps know; empty for none.
std::expected<std::string, Refusal> mpi_kind(std::string_view word);

}  // namespace muster::cli
