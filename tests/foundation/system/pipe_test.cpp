// SPDX-License-Identifier: BSD-3-Clause
#include "foundation/system/pipes.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>

namespace quadrille {
namespace {

TEST(Pipe, WhatIsWrittenIsReadUntilTheWriteEndIsClosed) {
  auto [read_end, write_end] = make_pipe();
  ASSERT_EQ(::write(write_end.number(), "word", 4), 4);
  write_end = Descriptor();
  char text[8] = {};
  EXPECT_EQ(::read(read_end.number(), text, sizeof text), 4);
  EXPECT_STREQ(text, "word");
  EXPECT_EQ(::read(read_end.number(), text, sizeof text), 0);
}

TEST(Pipe, ProgramsThatAreStartedDoNotInheritIt) {
  const Pipe pipe = make_pipe();
  for (const Descriptor* end : {&pipe.read_end, &pipe.write_end}) EXPECT_EQ(::fcntl(end->number(), F_GETFD), FD_CLOEXEC);
}

TEST(Pipe, TooManyDescriptorsAreAnError) {
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  const rlimit none{.rlim_cur = 0, .rlim_max = before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
  std::string said = "it was made";
  try {
    make_pipe();
  } catch (const Error& error) {
    said = error.what();
    EXPECT_EQ(error.code(), ErrorCode::environment);
  }
  ::setrlimit(RLIMIT_NOFILE, &before);
  EXPECT_EQ(said, "a pipe cannot be made: Too many open files");
}

}  // namespace
}  // namespace quadrille
