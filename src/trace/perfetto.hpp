// SPDX-License-Identifier: BSD-3-Clause
// Packets of Perfetto's traces: TrackEvents in the encoding of Protocol Buffers. The numbers of the fields are those of
// perfetto/trace/*.proto; tests/trace/perfetto.proto has the fields that are used.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <span>
#include <string>
#include <string_view>
#include <variant>

namespace quadrille {

// What Perfetto shows of a slice when it is clicked.
struct PerfettoAnnotation {
  const char* name;
  std::variant<std::int64_t, std::string_view> value;
};

class PerfettoPackets {
 public:
  explicit PerfettoPackets(std::ostream& out) : out_(out) {}

  std::uint64_t process(std::string_view name);                      // returns the track of a new process
  std::uint64_t track(std::uint64_t parent, std::string_view name);  // returns a new track, for slices that do not overlap

  // On each track, calls of `begin` and `end` must alternate, in order of time (nanoseconds). Slices with the same flow are
  // joined by arrows; 0: no flow.
  void begin(std::uint64_t track, std::int64_t time_ns, std::string_view name, std::span<const PerfettoAnnotation> annotations,
             std::uint64_t flow = 0);
  void end(std::uint64_t track, std::int64_t time_ns);

 private:
  void write_packet(auto&& fill);
  void write_event(std::uint64_t track, std::int64_t time_ns, std::int32_t type, auto&& fill);

  std::ostream& out_;
  std::uint64_t last_uuid_ = 0;
  std::int32_t last_pid_ = 0;
};

}  // namespace quadrille
