// SPDX-License-Identifier: BSD-3-Clause

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "foundation/mpi_libraries.hpp"
#include "support/variable.hpp"

namespace quadrille {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::IsSupersetOf;
using ::testing::StartsWith;
using testing::Variable;

std::vector<std::string_view> launching(std::span<const MpiLibrary> libraries = mpi_libraries) {
  std::vector<std::string_view> ids;
  for (const MpiLibrary* const library : launching_libraries(libraries)) ids.push_back(library->id);
  return ids;
}

TEST(MpiLaunchers, AreKnownByTheirVariables) {
  EXPECT_THAT(launching(), IsEmpty());
  EXPECT_EQ(launcher_value(&MpiLauncher::size), "");
  const Variable size("PMI_SIZE", "4");
  EXPECT_THAT(launching(), ElementsAre("mpich"));
  EXPECT_EQ(launcher_value(&MpiLauncher::size), "4");
  const Variable empty("OMPI_COMM_WORLD_SIZE", "");
  EXPECT_THAT(launching(), ElementsAre("mpich"));
  EXPECT_EQ(launcher_value(&MpiLauncher::size), "4");
  const Variable other("OMPI_COMM_WORLD_SIZE", "8");
  EXPECT_THAT(launching(), ElementsAre("openmpi", "mpich"));
  EXPECT_EQ(launcher_value(&MpiLauncher::size), "8");
}

TEST(MpiLaunchers, MayBeKnownByTheRankAlone) {
  const Variable rank("PMI_RANK", "0"), other("OMPI_COMM_WORLD_RANK", "0");
  EXPECT_THAT(launching(), ElementsAre("mpich"));
}

// A third library whose launcher sets the variables of another one does not make the launcher ambiguous.
TEST(MpiLaunchers, CountOnceIfTheySetTheSameVariables) {
  const MpiLibrary libraries[] = {{.id = "a", .launcher = {.rank = "T_RANK", .size = "T_SIZE"}},
                                  {.id = "b", .launcher = {.rank = "T_RANK", .size = "T_SIZE"}},
                                  {.id = "c", .launcher = {.rank = "U_RANK", .size = "U_SIZE"}},
                                  {.id = "d"}};
  EXPECT_THAT(launching(libraries), IsEmpty());
  const Variable size("T_SIZE", "2");
  EXPECT_THAT(launching(libraries), ElementsAre("a"));
  const Variable other("U_SIZE", "2");
  EXPECT_THAT(launching(libraries), ElementsAre("a", "c"));
}

// The variables in the order in which they are asked.
TEST(MpiLaunchers, TellWhetherThisIsRank0) {
  EXPECT_TRUE(is_first_launched());
  const Variable pmi("PMI_RANK", "0");
  EXPECT_TRUE(is_first_launched());
  const Variable pmix("PMIX_RANK", "1");
  EXPECT_FALSE(is_first_launched());
  const Variable open_mpi("OMPI_COMM_WORLD_RANK", "0");
  EXPECT_TRUE(is_first_launched());
  const Variable ours("QUADRILLE_RANK", "1");
  EXPECT_FALSE(is_first_launched());
}

// Further libraries come after the first two.
TEST(MpiLaunchers, HaveWordsForSentences) {
  std::vector<std::string> ids = ids_with_plug_in();
  ASSERT_GE(ids.size(), 2u);
  EXPECT_EQ(ids[0], "openmpi");
  EXPECT_EQ(ids[1], "mpich");
  ids.push_back("none");
  EXPECT_EQ(ids_or_none(), ids);
  EXPECT_THAT(ids_with_drop_in(), IsSupersetOf(ids_with_plug_in()));
  EXPECT_THAT(ids_with_drop_in(), Contains("abi"));
  EXPECT_THAT(settings_of_mpi(), StartsWith("QUADRILLE_MPI=openmpi or QUADRILLE_MPI=mpich"));
}

}  // namespace
}  // namespace quadrille
