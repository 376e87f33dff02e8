// SPDX-License-Identifier: BSD-3-Clause
// Traces for Perfetto, decoded by protoc.
#include <gtest/gtest.h>

#include <cctype>
#include <fstream>
#include <map>
#include <set>

#include "quadrille/algorithm.hpp"
#include "quadrille/simulate.hpp"
#include "quadrille/trace.hpp"
#include "support/own_folder.hpp"
#include "support/perfetto_text.hpp"

namespace quadrille {
namespace {

using testing::perfetto_packets, testing::value_of;

class PerfettoTest : public testing::OwnFolder {
 protected:
  std::string written(const Trace& trace) const {
    const std::string file = (place_ / "trace.perfetto").string();
    std::ofstream out(file, std::ios::binary);
    write_perfetto(out, trace);
    return file;
  }
};

TEST_F(PerfettoTest, HasASliceForEachEndOfEachMessageAndAFlowBetweenThem) {
  if (!testing::has_protoc()) GTEST_SKIP() << "protoc is not installed (protobuf-compiler)";
  const Topology torus = parse_topology("torus:4x4");
  Problem problem = Problem::alltoall(16, 64);
  problem.grid = {4, 4};
  for (const char* algorithm : {"torus", "bruck", "direct"}) {
    const Schedule schedule = make_schedule(problem, algorithm);
    Trace trace = trace_of(schedule, &torus);
    const MessageTimes times{.overhead = 1'500'000, .latency = 5'000'000, .gap = 4'000'000, .per_byte = ByteTime::of_seconds(1e-8)};
    trace.times.push_back(time_by_events(trace, schedule, times, {.topology = &torus}));
    const auto packets = perfetto_packets(written(trace));

    std::map<std::string, std::string> tracks;             // name by uuid
    std::map<std::string, std::vector<std::string>> ends;  // by track: types and times of its events, in order
    std::map<std::string, int> flows;                      // slices with each flow
    std::size_t slices = 0;
    for (const auto& packet : packets) {
      EXPECT_EQ(value_of(packet, "trusted_packet_sequence_id"), "1");
      for (const std::string& line : packet) EXPECT_FALSE(std::isdigit(line[0])) << "an unknown field: " << line;
      const std::string track = value_of(packet, "track_uuid");
      if (track.empty()) {
        tracks[value_of(packet, "uuid")] = value_of(packet, "name");
        continue;
      }
      EXPECT_TRUE(tracks.contains(track)) << "described before it is used";
      const bool begins = value_of(packet, "type") == "TYPE_SLICE_BEGIN";
      // Begins and ends alternate, and time goes on.
      auto& before = ends[track];
      EXPECT_EQ(before.size() % 2 == 0, begins);
      const std::string time = value_of(packet, "timestamp");
      if (!before.empty()) EXPECT_LE(std::stoll(before.back()), std::stoll(time)) << tracks[track];
      before.push_back(time);
      slices += begins ? 1 : 0;
      if (const std::string flow = value_of(packet, "flow_ids"); !flow.empty()) ++flows[flow];
    }
    std::size_t expected = trace.locals.size();  // in logical time only
    for (const TracedTime& time : trace.times) expected += 2 * trace.messages.size() + time.waits.size() + time.links.size();
    EXPECT_EQ(slices, expected) << algorithm;
    EXPECT_EQ(flows.size(), 2 * trace.messages.size());
    for (const auto& [flow, count] : flows) EXPECT_EQ(count, 2) << flow;
    std::set<std::string> names;
    for (const auto& [uuid, name] : tracks) names.insert(name);
    for (const char* name : {"\"rank 0\"", "\"rank 15 sends\"", "\"rank 3 receives\""}) EXPECT_TRUE(names.contains(name)) << name;
  }
}

}  // namespace
}  // namespace quadrille
