// SPDX-License-Identifier: BSD-3-Clause

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "foundation/system/pipes.hpp"

namespace quadrille {
namespace {

using std::chrono::milliseconds;

TEST(ReadOutput, WaitsUntilThePipeIsEmpty) {
  const Pipe pipe = make_pipe();
  ASSERT_EQ(::write(pipe.write_end.number(), "text", 4), 4);
  std::atomic<bool> is_read = false;
  std::thread reader([&] {
    std::this_thread::sleep_for(milliseconds(30));
    is_read = true;
    char text[4];
    EXPECT_EQ(::read(pipe.read_end.number(), text, 4), 4);
  });
  wait_until_read(pipe.write_end.number(), std::chrono::minutes(1));
  EXPECT_TRUE(is_read);
  reader.join();
}

TEST(ReadOutput, GivesUpAfterTheLimit) {
  const Pipe pipe = make_pipe();
  ASSERT_EQ(::write(pipe.write_end.number(), "text", 4), 4);
  const auto start = std::chrono::steady_clock::now();
  wait_until_read(pipe.write_end.number(), milliseconds(20));
  EXPECT_GE(std::chrono::steady_clock::now() - start, milliseconds(20));
}

TEST(ReadOutput, DoesNotWaitForEmptyPipesAndOtherDescriptors) {
  const Pipe pipe = make_pipe();
  const auto start = std::chrono::steady_clock::now();
  for (int descriptor : {pipe.write_end.number(), -1}) wait_until_read(descriptor, std::chrono::minutes(10));
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::minutes(5));
}

}  // namespace
}  // namespace quadrille
