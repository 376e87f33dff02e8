// SPDX-License-Identifier: BSD-3-Clause
// The page that describes both forms of a schedule shows what the library prints.
#include <gtest/gtest.h>

#include <fstream>

#include "schedule/forms/documents.hpp"

namespace quadrille {
namespace {

// Returns the first code block of the given language on the page.
std::string example_on_page(const std::string& language) {
  std::ifstream file(QUADRILLE_SOURCE_DIR "/docs/schedule-format.md");
  std::ostringstream content;
  content << file.rdbuf();
  const std::string page = content.str();
  const std::string fence = "```" + language + "\n";
  const std::size_t first = page.find(fence);
  if (first == std::string::npos) return "";
  return page.substr(first + fence.size(), page.find("```", first + fence.size()) - first - fence.size());
}

TEST(Document, ThePageShowsWhatIsPrinted) {
  const Schedule schedule = make_schedule(Problem::alltoall(3, 8), "bruck:form=classical");
  EXPECT_EQ(example_on_page("json"), json_of(schedule) + "\n");
  EXPECT_EQ(example_on_page("text"), text_of(schedule));
}

TEST(Document, AByteOrderMarkIsSkipped) {
  EXPECT_EQ(parse_documents("\xEF\xBB\xBF" + json_of(make_schedule(Problem::alltoall(2, 8), "direct"))).size(), 1u);
  EXPECT_EQ(parse_documents("\xEF\xBB\xBF" + text_of(make_schedule(Problem::alltoall(2, 8), "direct"))).size(), 1u);
}

}  // namespace
}  // namespace quadrille
