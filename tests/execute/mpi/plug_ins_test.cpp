// SPDX-License-Identifier: BSD-3-Clause
// Which transport the environment asks for. tests/mpi loads the plug-ins.
#include "execute/mpi/plug_ins.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "foundation/mpi_libraries.hpp"
#include "quadrille/error.hpp"
#include "quadrille/transports.hpp"
#include "support/variable.hpp"

namespace quadrille {
namespace {

using ::testing::EndsWith;
using ::testing::StartsWith;
using testing::Variable;

// Expects that the environment asks for this transport, for this reason.
void expect_choice(TransportKind transport, const std::string& reason) {
  const TransportChoice choice = choose_transport();
  EXPECT_EQ(name(choice.transport), name(transport));
  EXPECT_EQ(choice.reason, reason);
  EXPECT_EQ(choice.is_mpi(), transport == TransportKind::openmpi || transport == TransportKind::mpich);
}

std::string refusal() {
  try {
    choose_transport();
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

TEST(PlugIns, KindsHaveTheNamesOfLibraries) {
  EXPECT_EQ(name(TransportKind::threads), "threads");
  EXPECT_EQ(name(TransportKind::shared), "shared");
  EXPECT_EQ(name(TransportKind::openmpi), "openmpi");
  EXPECT_EQ(name(TransportKind::mpich), "mpich");
  EXPECT_EQ(static_cast<int>(TransportKind::openmpi), 2);
  EXPECT_EQ(static_cast<int>(TransportKind::mpich), 3);
  ASSERT_EQ(plug_ins().size(), ids_with_plug_in().size());
  EXPECT_EQ(plug_ins()[0].mpi, "openmpi");
  EXPECT_TRUE(plug_ins()[1].path.ends_with("/quadrille-mpich.so")) << plug_ins()[1].path;
}

TEST(PlugIns, LaunchersChooseTheTransport) {
  expect_choice(TransportKind::threads, "not started by an MPI launcher");
  EXPECT_EQ(launched_ranks(), 0);
  {
    const Variable size("OMPI_COMM_WORLD_SIZE", "3");
    expect_choice(TransportKind::openmpi, "started by Open MPI's launcher (OMPI_COMM_WORLD_SIZE is set)");
    EXPECT_EQ(launched_ranks(), 3);
  }
  const Variable size("PMI_SIZE", "2");
  expect_choice(TransportKind::mpich, "started by a PMI launcher such as MPICH's (PMI_SIZE is set)");
  EXPECT_EQ(launched_ranks(), 2);
  const Variable head("QUADRILLE_HEAD", "5");
  expect_choice(TransportKind::shared, "started by 'quadrille run' (QUADRILLE_HEAD is set)");
}

TEST(PlugIns, TwoLaunchersAreRefusedUnlessTheUserChooses) {
  const Variable one("OMPI_COMM_WORLD_SIZE", "3"), other("PMI_SIZE", "2");
  EXPECT_THAT(refusal(), StartsWith("the environment has both Open MPI's launcher (OMPI_COMM_WORLD_SIZE) and a PMI one (PMI_SIZE); "
                                    "say which with QUADRILLE_MPI=openmpi or QUADRILLE_MPI=mpich"));
  {
    const Variable none("QUADRILLE_MPI", "none");
    expect_choice(TransportKind::threads, "QUADRILLE_MPI is none");
  }
  {
    const Variable library("QUADRILLE_MPI", "openmpi");
    expect_choice(TransportKind::openmpi, "QUADRILLE_MPI is openmpi");
  }
  const Variable library("QUADRILLE_MPI", "mpich");
  expect_choice(TransportKind::mpich, "QUADRILLE_MPI is mpich");
}

TEST(PlugIns, RefusesALibraryWithoutPlugIn) {
  const Variable library("QUADRILLE_MPI", "abi");
  EXPECT_THAT(refusal(), StartsWith("QUADRILLE_MPI is abi, which only 'quadrille wrap' takes; set it to openmpi, mpich"));
  EXPECT_THAT(refusal(), EndsWith(" or none"));
  EXPECT_THROW(load_to_run("abi"), Error);
}

}  // namespace
}  // namespace quadrille
