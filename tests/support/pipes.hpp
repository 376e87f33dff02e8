// SPDX-License-Identifier: BSD-3-Clause
// Passes values to another process through a pipe.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

namespace quadrille::testing {

template <class Value>
void send(int pipe, const Value& value) {
  EXPECT_EQ(::write(pipe, &value, sizeof value), static_cast<ssize_t>(sizeof value));
}

template <class Value>
Value receive(int pipe) {
  Value value{};
  EXPECT_EQ(::read(pipe, &value, sizeof value), static_cast<ssize_t>(sizeof value));
  return value;
}

}  // namespace quadrille::testing
