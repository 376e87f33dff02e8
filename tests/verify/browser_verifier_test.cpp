// SPDX-License-Identifier: BSD-3-Clause
// The verifier for browsers gives the same answers as the native one: on all documents of the tests, and on random mutants, as many
// as QUADRILLE_MUTANTS says. Skipped where it has not been built (cmake/browser_verifier.cmake).
#include <gtest/gtest.h>

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>
#include <sstream>

#include "../../viewer/verifier/answer.hpp"
#include "quadrille/document.hpp"
#include "support/browser_verifier.hpp"
#include "support/environment.hpp"
#include "verify/drawn_schedule.hpp"
#include "verify/mutants.hpp"

namespace quadrille {
namespace {

using namespace quadrille::testing;
using Json = nlohmann::json;

std::string question(const std::string& schedule) { return Json{{"ask", "prove"}, {"schedule", schedule}}.dump(); }

TEST(BrowserVerifier, NamesTheFirstCauseAndItsPlace) {
  std::ifstream stream(QUADRILLE_SOURCE_DIR "/tests/verify/faulty/delivery.wrong-block.sched");
  const Json wrong = Json::parse(answer(question(std::string{std::istreambuf_iterator<char>(stream), {}})));
  EXPECT_TRUE(wrong.contains("cause") && wrong.contains("round") && wrong.contains("rank")) << wrong;
  EXPECT_FALSE(wrong.contains("c1")) << wrong;
  std::ostringstream bruck;
  write_text(bruck, make_schedule(Problem::alltoall(8, 8), "bruck:radix=2"));
  const Json right = Json::parse(answer(question(bruck.str())));
  EXPECT_EQ(right.at("c1"), 3) << right;
  EXPECT_EQ(right.at("c2"), 96) << right;
  EXPECT_EQ(right.at("c1_bound"), 3) << right;
  EXPECT_TRUE(Json::parse(answer(question("quadrille-schedule-text/1\nranks two"))).contains("error"));
}

TEST(BrowserVerifier, AgreesWithTheNativeOne) {
  const std::string verifier = browser_verifier_file();
  if (!std::filesystem::exists(verifier)) GTEST_SKIP() << "the target quadrille_browser_verifier has not been built";
  if (std::system("node --version > /dev/null 2>&1") != 0) GTEST_SKIP() << "there is no Node";
  const std::filesystem::path file =
      std::filesystem::temp_directory_path() / ("quadrille-questions-" + std::to_string(::getpid()) + ".json");
  std::ofstream questions(file);
  std::size_t documents = 0;
  const auto add = [&](const std::string& schedule) {
    const std::string asked = question(schedule);
    questions << Json{asked, answer(asked)}.dump() << '\n';
  };
  for (const char* folder : {"documents", "faulty"})
    for (const auto& entry : std::filesystem::directory_iterator(std::string(QUADRILLE_SOURCE_DIR "/tests/verify/") + folder)) {
      std::ifstream stream(entry.path());
      add(std::string{std::istreambuf_iterator<char>(stream), {}});
      ++documents;
    }
  EXPECT_GE(documents, 89u);
  const std::uint64_t mutants = number_in_environment("QUADRILLE_MUTANTS", 200);
  for (std::uint64_t i = 0; i < mutants; ++i) {
    std::mt19937_64 random(number_in_environment("QUADRILLE_SEED", 20261130) + i);
    Mutator mutator(drawn_schedule(random), random());
    mutator.mutate();
    std::ostringstream text;
    write_text(text, mutator.mutant());
    add(text.str());
  }
  questions.close();
  const std::string command =
      "node " QUADRILLE_SOURCE_DIR "/viewer/scripts/ask_verifier.js '" + verifier + "' '" + file.string() + "'";
  EXPECT_EQ(std::system(command.c_str()), 0);
  std::filesystem::remove(file);
}

}  // namespace
}  // namespace quadrille
