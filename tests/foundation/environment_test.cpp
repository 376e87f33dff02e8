// SPDX-License-Identifier: BSD-3-Clause
#include "foundation/environment.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>

#include "quadrille/error.hpp"
#include "support/variable.hpp"

namespace quadrille {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

using testing::Variable;

TEST(Environment, RowsAreComplete) {
  std::set<std::string_view> names;
  for (const EnvironmentVariable& row : all_environment_variables()) {
    EXPECT_TRUE(row.name == "QUADRILLE" || row.name.starts_with("QUADRILLE_")) << row.name;
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
    EXPECT_FALSE(row.reader.empty() || row.about.empty()) << row.name;
    EXPECT_NE(row.words.empty(), row.form.empty()) << row.name;
  }
}

// A variable that is read and has no row would be refused by the command.
TEST(Environment, SourcesReadTheVariablesOfTheTableByItsFunctions) {
  const std::filesystem::path root = QUADRILLE_SOURCE_DIR;
  std::set<std::string> read, known;
  for (const char* top : {"src", "tools", "papers"})
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root / top)) {
      const std::string name = entry.path().filename(), extension = entry.path().extension();
      if (name == "environment.cpp" || (extension != ".cpp" && extension != ".hpp")) continue;
      std::ifstream in(entry.path());
      const std::string text{std::istreambuf_iterator<char>(in), {}};
      const std::regex literal("\"(QUADRILLE(_[A-Z]+)*)\"");
      for (std::sregex_iterator each(text.begin(), text.end(), literal), end; each != end; ++each) read.insert((*each)[1]);
      if (name != "preloaded.cpp" && name != "mpi_libraries.hpp")  // parts of a library that has no table
        EXPECT_FALSE(std::regex_search(text, std::regex("getenv\\(\"QUADRILLE"))) << entry.path();
    }
  for (const EnvironmentVariable& row : all_environment_variables()) known.emplace(row.name);
  EXPECT_TRUE(std::includes(known.begin(), known.end(), read.begin(), read.end())) << fmt::format("{}", fmt::join(read, " "));
  for (const EnvironmentVariable& row : all_environment_variables())
    if (row.reader == "library" || row.reader == "drop-in" || row.reader == "command")
      EXPECT_TRUE(read.contains(std::string(row.name))) << row.name;
}

TEST(Environment, AValueIsMadeEmptyInPlace) {
  const Variable variable("QUADRILLE_WATCH", "30 by 4711 17 10.0.0.1:4000 key");
  const char* const value = std::getenv("QUADRILLE_WATCH");
  empty_environment_value("QUADRILLE_WATCH");
  EXPECT_EQ(std::getenv("QUADRILLE_WATCH"), value);
  EXPECT_STREQ(value, "");
  EXPECT_STREQ(value + 3, "") << "nothing is left of it";
  EXPECT_EQ(environment_value("QUADRILLE_WATCH"), "");
}

TEST(Environment, RefusesOrToleratesWrongValues) {
  EXPECT_EQ(checked_environment_value("QUADRILLE_PROGRESS"), "");
  {
    const Variable right("QUADRILLE_PROGRESS", "thread"), empty("QUADRILLE_MPI", "");
    EXPECT_EQ(checked_environment_value("QUADRILLE_PROGRESS"), "thread");
    EXPECT_EQ(checked_environment_value("QUADRILLE_MPI"), "");
    EXPECT_THAT(environment_faults(), IsEmpty());
  }
  const Variable wrong("QUADRILLE_PROGRESS", "5"), tolerated("QUADRILLE_CHECK", "yes"), pace("QUADRILLE_PROGRESS_SECONDS", "0");
  try {
    checked_environment_value("QUADRILLE_PROGRESS");
    ADD_FAILURE() << "the value was taken";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::environment);
    EXPECT_STREQ(error.what(), "QUADRILLE_PROGRESS is '5'; it may be thread");
  }
  EXPECT_EQ(tolerated_environment_value("QUADRILLE_CHECK"), "");
  EXPECT_THAT(environment_faults(),
              ElementsAre("QUADRILLE_CHECK is 'yes'; it may be 0 or 1", "QUADRILLE_PROGRESS is '5'; it may be thread",
                          "QUADRILLE_PROGRESS_SECONDS is '0'; it may be a number of seconds from 0.01 to 1000000"));
}

TEST(Environment, NamesTheNearestVariableForAnUnknownName) {
  const Variable near("QUADRILLE_WISDM", "off"), far("QUADRILLE_XYZ", "1"), others("QUADRILLES", "1");
  EXPECT_THAT(environment_faults(),
              ElementsAre("Quadrille has no environment variable QUADRILLE_WISDM; did you mean QUADRILLE_WISDOM?",
                          "Quadrille has no environment variable QUADRILLE_XYZ; 'quadrille list environment' lists those that "
                          "there are"));
}

}  // namespace
}  // namespace quadrille
