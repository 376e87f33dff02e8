// SPDX-License-Identifier: BSD-3-Clause
#include "trace/perfetto_packets.hpp"

#include <ostream>
#include <protozero/pbf_writer.hpp>

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

}  // namespace quadrille
