// SPDX-License-Identifier: BSD-3-Clause
// Tests that the C interface plans each collective that has typed plans, that docs/c.md shows each declaration as the headers have
// it, and that the Fortran module has each function, with the same arguments in the same order.
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "support/source_folder.hpp"

namespace {

std::string contents(const std::string& file) {
  std::ifstream stream(quadrille::testing::source_folder / file);
  return {std::istreambuf_iterator<char>(stream), {}};
}

// Returns the text with one blank in place of blanks and line ends that follow each other.
std::string in_one_line(const std::string& text) { return std::regex_replace(text, std::regex("\\s+"), " "); }

struct Declaration {
  std::string text;    // "int quadrille_wait(quadrille_request* request);"
  std::string module;  // the names of the arguments as in Fortran: "request"
};

// The functions of the headers by their names.
std::map<std::string, Declaration> declarations() {
  const std::string headers = contents("include/quadrille/c.h") + contents("include/quadrille/mpi_c.h");
  const std::string code = std::regex_replace(headers, std::regex("/\\*[^*]*\\*+([^/*][^*]*\\*+)*/"), "");
  std::map<std::string, Declaration> found;
  const std::regex declaration("\n(int|const char\\*) (quadrille_[a-z_]+)\\(([^()]*)\\);");
  for (std::sregex_iterator each(code.begin(), code.end(), declaration); each != std::sregex_iterator(); ++each) {
    std::string names;
    const std::string arguments = (*each)[3];
    const std::regex name("([a-z_]+)(,|$)");
    for (std::sregex_iterator argument(arguments.begin(), arguments.end(), name); argument != std::sregex_iterator(); ++argument)
      names += (names.empty() ? "" : ", ") + (*argument)[1].str();
    found[(*each)[2]] = {in_one_line(each->str().substr(1)), names == "void" ? "" : names};
  }
  return found;
}

// The collectives of which typed_plan.hpp makes plans.
std::set<std::string> typed_plans() {
  std::set<std::string> found;
  const std::string header = contents("include/quadrille/typed_plan.hpp");
  const std::regex function("\nTypedPlan<T> plan_([a-z_]+)\\(");
  for (std::sregex_iterator each(header.begin(), header.end(), function); each != std::sregex_iterator(); ++each)
    found.insert((*each)[1]);
  return found;
}

TEST(CInterface, PlansWhatTypedPlansAreMadeOf) {
  EXPECT_GE(typed_plans().size(), 15u);
  const auto functions = declarations();
  for (const std::string& collective : typed_plans()) EXPECT_TRUE(functions.contains("quadrille_plan_" + collective)) << collective;
}

TEST(CInterface, IsDocumented) {
  const std::string page = in_one_line(contents("docs/c.md"));
  EXPECT_GE(declarations().size(), 40u);
  for (const auto& [name, declaration] : declarations()) EXPECT_NE(page.find(declaration.text), page.npos) << declaration.text;
}

TEST(CInterface, IsInTheFortranModule) {
  const std::string module = std::regex_replace(in_one_line(contents("include/quadrille/quadrille.f90")), std::regex(" ?& ?"), " ");
  for (const auto& [name, declaration] : declarations()) {
    if (name == "quadrille_operator_of_mpi") continue;  // takes MPI's handles of C
    const std::string fortran = name == "quadrille_over_fortran" ? "quadrille_over" : name;
    EXPECT_NE(module.find("function " + fortran + "(" + declaration.module + ")"), module.npos)
        << fortran << "(" << declaration.module << ")";
  }
}

}  // namespace
