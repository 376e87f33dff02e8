// SPDX-License-Identifier: BSD-3-Clause
// Tests pictures in other formats, with programs that stand in for the converter.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/command.hpp"

namespace quadrille {
namespace {

using namespace quadrille::testing;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class ConvertedPicture : public CommandTest {
 protected:
  // Makes a converter of a shell script, in a folder that is the only one of PATH.
  void make_converter(const std::string& script) const {
    fs::create_directories(file("bin"));
    write("bin/rsvg-convert", "#!/bin/sh\n" + script);
    fs::permissions(file("bin/rsvg-convert"), fs::perms::owner_all);
  }

  Outcome draw(const std::string& name) const {
    return run_program({"/usr/bin/env", "PATH=" + file("bin").string(), QUADRILLE_COMMAND, "draw", "alltoall", "--algorithm",
                        "bruck", "--ranks", "3", "-o", file(name).string()});
  }
};

TEST_F(ConvertedPicture, IsWhatTheConverterMakesOfTheSvg) {
  make_converter("echo \"$@\"; while read -r line; do echo \"$line\"; done\n");
  EXPECT_EQ(draw("x.png").exit_code, 0);
  EXPECT_THAT(contents(file("x.png")), StartsWith("--unlimited --format=png --zoom=2\n<svg"));
  EXPECT_THAT(contents(file("x.png")), HasSubstr("</svg>"));
  EXPECT_EQ(draw("X.PDF").exit_code, 0);
  EXPECT_THAT(contents(file("X.PDF")), StartsWith("--unlimited --format=pdf\n<svg"));
  EXPECT_EQ(draw("x.svg").exit_code, 0);
  EXPECT_THAT(contents(file("x.svg")), StartsWith("<svg"));
}

TEST_F(ConvertedPicture, IsRefusedWithoutAConverter) {
  const Outcome outcome = draw("x.png");
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.talk, HasSubstr("x.png' would hold SVG, not PNG; write '"));
  EXPECT_THAT(outcome.talk, HasSubstr("and convert it: rsvg-convert '"));
  EXPECT_FALSE(fs::exists(file("x.png")));
  fs::create_directories(file("bin/rsvg-convert"));
  EXPECT_EQ(draw("x.png").exit_code, 2) << "a folder is no converter";
}

TEST_F(ConvertedPicture, LeavesNoFileIfTheConverterFails) {
  make_converter("echo out of ink >&2; exit 3\n");
  const Outcome outcome = draw("x.pdf");
  EXPECT_NE(outcome.exit_code, 0);
  EXPECT_THAT(outcome.talk, HasSubstr("rsvg-convert ended with exit code 3: out of ink"));
  EXPECT_FALSE(fs::exists(file("x.pdf")));
}

}  // namespace
}  // namespace quadrille
