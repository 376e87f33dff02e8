// SPDX-License-Identifier: BSD-3-Clause
// Is the program's MPI library the one that this library was built for? Communicators and types are of another size otherwise.
#pragma once

namespace quadrille::mpi_face {

// Asks the MPI library. Ends the process with a sentence and exit code 2 where it is another one; MPI's launchers then end the job.
[[gnu::visibility("hidden")]] void check_library_in_use();

}  // namespace quadrille::mpi_face
