// SPDX-License-Identifier: BSD-3-Clause
// What is to be done when MPI is finalised. MPI_Finalize deletes the attributes of MPI_COMM_SELF, the last one first, and calls
// their callbacks, in which a program may still call collectives. Only an attribute that is set in MPI_Init comes after all of
// them. The drop-in sees MPI_Init; without it each user of this header sets an attribute of its own.
#pragma once

namespace quadrille {

class EndOfMpi {
 public:
  using Action = void (*)(void* memory);

  // Somebody promises to call run() in MPI_Finalize, after the callbacks of all other attributes.
  static void promise();
  static bool is_promised();

  static void add(Action action, void* memory);  // for run(), after promise()
  static void run();
};

}  // namespace quadrille
