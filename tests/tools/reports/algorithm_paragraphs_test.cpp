// SPDX-License-Identifier: BSD-3-Clause
// Tests of the paragraphs about algorithms, on the pages that show them.
#include <gtest/gtest.h>

#include <algorithm>

#include "quadrille/algorithm.hpp"
#include "support/command.hpp"
#include "support/viewer_page.hpp"

namespace quadrille {
namespace {

using namespace quadrille::testing;

class ParagraphTest : public CommandTest {};

// Between the summary and the figures of a page is a paragraph of its own, in whole sentences.
TEST_F(ParagraphTest, EachAlgorithmHasOne) {
  const fs::path folder = file("gallery");
  EXPECT_EQ(run({"view", "--gallery", folder}).exit_code, 0);
  for (const Algorithm* algorithm : all_algorithms()) {
    const std::string page = page_of(name(algorithm->collective), algorithm->id);
    const std::string text = page_data(contents(folder / page)).at("text");
    const std::size_t begin = text.find(". ") + 2, end = text.find(" It takes C1 = ");
    ASSERT_LT(begin, end) << page;
    const std::string paragraph = text.substr(begin, end - begin);
    EXPECT_GE(std::count(paragraph.begin(), paragraph.end(), '.'), 2) << page << ": " << paragraph;
    EXPECT_TRUE(paragraph.size() >= 100 && paragraph.ends_with('.')) << page << ": " << paragraph;
    EXPECT_EQ(paragraph.find('`'), std::string::npos) << page << ": pages show plain text";
  }
}

}  // namespace
}  // namespace quadrille
