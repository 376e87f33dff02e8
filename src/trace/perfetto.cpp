// SPDX-License-Identifier: BSD-3-Clause
// Writes traces for Perfetto. Each kind of time in the trace (docs/trace-format.md) becomes a process. There each rank has a
// track with what it does itself (local operations, packing, waits), and tracks with its sends and its receives. Slices of one
// track must not overlap, so each message takes the first free track of its rank and direction. A flow leads from a message's
// send to its receive.
#include "trace/perfetto.hpp"

#include <fmt/format.h>
#include <protozero/pbf_writer.hpp>

#include <algorithm>
#include <map>
#include <ostream>

#include "quadrille/indexed.hpp"
#include "quadrille/trace.hpp"

namespace quadrille {
namespace {

using protozero::pbf_writer;

namespace field {
constexpr protozero::pbf_tag_type packet = 1;                                                                  // Trace
constexpr protozero::pbf_tag_type timestamp = 8, sequence_id = 10, track_event = 11, track_descriptor = 60;    // TracePacket
constexpr protozero::pbf_tag_type uuid = 1, track_name = 2, process = 3, parent_uuid = 5;                      // TrackDescriptor
constexpr protozero::pbf_tag_type pid = 1, process_name = 6;                                                   // ProcessDescriptor
constexpr protozero::pbf_tag_type annotations = 4, type = 9, track_uuid = 11, event_name = 23, flow_ids = 47;  // TrackEvent
constexpr protozero::pbf_tag_type int_value = 4, string_value = 6, annotation_name = 10;                       // DebugAnnotation
}  // namespace field

constexpr std::int32_t slice_begin = 1, slice_end = 2;

constexpr std::int64_t round_ns = 1000;  // how long a logical round is shown

struct Slice {
  TimeInterval time;
  std::string name;
  std::vector<PerfettoAnnotation> annotations;
  std::uint64_t flow = 0;  // 0: none
};

class PerfettoWriter {
 public:
  PerfettoWriter(std::ostream& out, const Trace& trace) : packets_(out), trace_(trace) {}

  void write() {
    for (const TracedTime& time : trace_.times) write_time(time);
  }

 private:
  std::int64_t nanoseconds(std::int64_t time) const {
    if (unit_ == TimeUnit::round) return time * round_ns;
    return unit_ == TimeUnit::picosecond ? time / 1000 : time;
  }

  // Writes slices to as few tracks as they need without overlaps. The first track is called `name`, the others "name (2)" and so
  // on. Without slices nothing is written.
  void write_tracks(std::uint64_t parent, const std::string& name, std::vector<Slice> slices) {
    std::erase_if(slices, [](const Slice& slice) { return slice.time.begin < 0 || slice.time.end < slice.time.begin; });
    std::stable_sort(slices.begin(), slices.end(), [](const Slice& a, const Slice& b) { return a.time.begin < b.time.begin; });
    struct Lane {
      std::uint64_t track = 0;
      std::int64_t free = 0;
    };
    std::vector<Lane> lanes;
    for (const Slice& slice : slices) {
      auto lane = std::find_if(lanes.begin(), lanes.end(), [&](const Lane& each) { return each.free <= slice.time.begin; });
      if (lane == lanes.end()) {
        const std::string title = lanes.empty() ? name : fmt::format("{} ({})", name, lanes.size() + 1);
        lanes.push_back({packets_.track(parent, title), 0});
        lane = std::prev(lanes.end());
      }
      packets_.begin(lane->track, nanoseconds(slice.time.begin), slice.name, slice.annotations, slice.flow);
      packets_.end(lane->track, nanoseconds(slice.time.end));
      lane->free = slice.time.end;
    }
  }

  void write_time(const TracedTime& time) {
    unit_ = time.unit;
    const std::uint64_t process = packets_.process(fmt::format("{}: {}", trace_.title, time.title));
    ByRank<std::vector<Slice>> own(trace_.problem.ranks), sends(own), receives(own);
    const auto is_rank = [&](Rank rank) { return rank >= 0 && rank < trace_.problem.ranks; };
    for (std::size_t i = 0; i < trace_.messages.size(); ++i) {
      const TracedMessage& message = trace_.messages[i];
      const std::vector<PerfettoAnnotation> annotations{
          {"message", static_cast<std::int64_t>(i)}, {"round", message.round}, {"bytes", message.bytes}};
      const std::uint64_t flow = message.ends == MessageEnds::both ? ++last_flow_ : 0;
      if (is_rank(message.from))
        sends[message.from].push_back({time.sends[i], fmt::format("to {}", message.to), annotations, flow});
      if (is_rank(message.to))
        receives[message.to].push_back({time.receives[i], fmt::format("from {}", message.from), annotations, flow});
    }
    for (std::size_t i = 0; i < time.locals.size(); ++i) {
      const TracedLocal& local = trace_.locals[i];
      own[local.rank].push_back(
          {time.locals[i], local.local.kind == LocalKind::copy ? "copy" : "reduce", {{"round", local.round}}, 0});
    }
    for (const auto& [list, name] : {std::pair(&time.waits, "wait"), std::pair(&time.packing, "pack")})
      for (const TracedActivity& each : *list) own[each.rank].push_back({each.time, name, {{"round", each.round}}, 0});
    for (Rank rank = 0; rank < trace_.problem.ranks; ++rank) {
      write_tracks(process, fmt::format("rank {}", rank), std::move(own[rank]));
      write_tracks(process, fmt::format("rank {} sends", rank), std::move(sends[rank]));
      write_tracks(process, fmt::format("rank {} receives", rank), std::move(receives[rank]));
    }
    if (!time.links.empty()) write_links(time, process);
  }

  void write_links(const TracedTime& time, std::uint64_t process) {
    const TracedNetwork& network = *trace_.network;
    std::map<Count, std::vector<Slice>> slices;  // by link
    std::size_t hop = 0;
    for (std::size_t i = 0; i < trace_.messages.size(); ++i)
      for (Count k = 0; k < network.hops[i]; ++k, ++hop)
        slices[network.ways[hop]].push_back({time.links[hop],
                                             fmt::format("{} to {}", trace_.messages[i].from, trace_.messages[i].to),
                                             {{"message", static_cast<std::int64_t>(i)}},
                                             0});
    for (std::size_t i = 0; i < network.links.size(); ++i)
      write_tracks(process, fmt::format("link {}", network.link_texts[i]), std::move(slices[network.links[i].number]));
  }

  PerfettoPackets packets_;
  const Trace& trace_;
  TimeUnit unit_ = TimeUnit::round;
  std::uint64_t last_flow_ = 0;
};

}  // namespace

void PerfettoPackets::write_packet(auto&& fill) {
  std::string packet;
  pbf_writer content(packet);
  fill(content);
  content.add_uint32(field::sequence_id, 1);
  std::string framed;
  pbf_writer(framed).add_message(field::packet, packet);
  out_.write(framed.data(), static_cast<std::streamsize>(framed.size()));
}

std::uint64_t PerfettoPackets::process(std::string_view name) {
  write_packet([&](pbf_writer& packet) {
    pbf_writer track(packet, field::track_descriptor);
    track.add_uint64(field::uuid, ++last_uuid_);
    pbf_writer process(track, field::process);
    process.add_int32(field::pid, ++last_pid_);
    process.add_string(field::process_name, name.data(), name.size());
  });
  return last_uuid_;
}

std::uint64_t PerfettoPackets::track(std::uint64_t parent, std::string_view name) {
  write_packet([&](pbf_writer& packet) {
    pbf_writer track(packet, field::track_descriptor);
    track.add_uint64(field::uuid, ++last_uuid_);
    track.add_string(field::track_name, name.data(), name.size());
    track.add_uint64(field::parent_uuid, parent);
  });
  return last_uuid_;
}

void PerfettoPackets::write_event(std::uint64_t track, std::int64_t time_ns, std::int32_t type, auto&& fill) {
  write_packet([&](pbf_writer& packet) {
    packet.add_uint64(field::timestamp, static_cast<std::uint64_t>(time_ns));
    pbf_writer event(packet, field::track_event);
    event.add_enum(field::type, type);
    event.add_uint64(field::track_uuid, track);
    fill(event);
  });
}

void PerfettoPackets::begin(std::uint64_t track, std::int64_t time_ns, std::string_view name,
                            std::span<const PerfettoAnnotation> annotations, std::uint64_t flow) {
  write_event(track, time_ns, slice_begin, [&](pbf_writer& event) {
    event.add_string(field::event_name, name.data(), name.size());
    for (const PerfettoAnnotation& each : annotations) {
      pbf_writer annotation(event, field::annotations);
      annotation.add_string(field::annotation_name, each.name);
      if (const auto* const number = std::get_if<std::int64_t>(&each.value))
        annotation.add_int64(field::int_value, *number);
      else if (const auto* const text = std::get_if<std::string_view>(&each.value))
        annotation.add_string(field::string_value, text->data(), text->size());
    }
    if (flow != 0) event.add_fixed64(field::flow_ids, flow);
  });
}

void PerfettoPackets::end(std::uint64_t track, std::int64_t time_ns) {
  write_event(track, time_ns, slice_end, [](pbf_writer&) {});
}

void write_perfetto(std::ostream& out, const Trace& trace) { PerfettoWriter(out, trace).write(); }

}  // namespace quadrille
