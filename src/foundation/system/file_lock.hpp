// SPDX-License-Identifier: BSD-3-Clause
// Finds out whether a process still writes a file. The lock belongs to the process: a forked child does not inherit it, and it is
// released when the process ends, however that happens.
#pragma once

namespace quadrille {

// Locks a file while this process lives. If the file system has no locks, readers cannot tell that the file is being written;
// nothing else depends on it.
void lock_while_alive(int descriptor);

// True if some process is writing the file. False if that cannot be determined, as for files of other machines on some file
// systems.
bool is_being_written(int descriptor);

}  // namespace quadrille
