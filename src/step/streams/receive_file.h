// The receiving end of sbcast: one process per file, as the user it belongs to.
#pragma once

#include "io/stepd/file_receiver.h"

namespace muster::step {

// Takes the connection over. The file appears whole under its name, or not at all.
void receive_file(io::FileReceiverSetup setup, int connection);

}  // namespace muster::step
