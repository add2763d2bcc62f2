// The receiving end of sbcast: one process per file, which runs as the file's owner.
#pragma once

#include "io/stepd/file_receiver.h"

namespace muster::step {

// Takes over the connection. The file appears whole under its name, or not at all.
void receive_file(io::FileReceiverSetup setup, int connection);

}  // namespace muster::step
