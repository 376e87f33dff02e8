// SPDX-License-Identifier: BSD-3-Clause
// Traces for Perfetto, decoded by protoc with the subset of Perfetto's definitions in tests/trace/perfetto.proto.
#pragma once

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <string>
#include <vector>

#include "support/source_folder.hpp"

namespace quadrille::testing {

inline bool has_protoc() { return std::system("command -v protoc >/dev/null") == 0; }

// A packet as protoc prints it: its lines, without indentation.
using PerfettoPacket = std::vector<std::string>;

inline std::vector<PerfettoPacket> perfetto_packets(const std::string& file) {
  const std::string folder = (source_folder / "tests/trace").string();
  const std::string command =
      "protoc --decode=perfetto.protos.Trace --proto_path='" + folder + "' perfetto.proto < '" + file + "' 2>&1";
  std::FILE* pipe = ::popen(command.c_str(), "r");
  std::string text;
  char part[4096];
  for (std::size_t length; (length = std::fread(part, 1, sizeof part, pipe)) > 0;) text.append(part, length);
  EXPECT_EQ(::pclose(pipe), 0) << text;
  std::vector<PerfettoPacket> packets;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line == "packet {") packets.emplace_back();
    if (line == "packet {" || line == "}") continue;
    packets.back().push_back(line.substr(line.find_first_not_of(' ')));
  }
  return packets;
}

// The last value of the key. If annotations have the key, too, this is the value of the packet itself.
inline std::string value_of(const PerfettoPacket& packet, const std::string& key) {
  std::string value;
  for (const std::string& line : packet)
    if (line.starts_with(key + ": ")) value = line.substr(key.size() + 2);
  return value;
}

}  // namespace quadrille::testing
