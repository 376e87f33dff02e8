// SPDX-License-Identifier: BSD-3-Clause
// Runs the tests of the files in src/mpi_face, which need an MPI, on every rank. A rank on which a test fails fails the whole run.
#include <gtest/gtest.h>
#include <mpi.h>

#include "mpi_face/call.hpp"

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  MPI_Init(&argc, &argv);
  quadrille::mpi_face::begin_run();
  const int wrong = RUN_ALL_TESTS();
  MPI_Finalize();
  return wrong;
}
