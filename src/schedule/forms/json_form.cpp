// SPDX-License-Identifier: BSD-3-Clause
// Reads and writes the JSON form (docs/schedule-format.md).
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

#include "foundation/text/printable.hpp"
#include "quadrille/error.hpp"
#include "quadrille/indexed.hpp"
#include "schedule/comparison.hpp"
#include "schedule/dependence.hpp"
#include "schedule/forms/document.hpp"
#include "schedule/forms/json.hpp"
#include "schedule/regions.hpp"

namespace quadrille {
// Reads the JSON form (docs/schedule-format.md). An error with its place is thrown only for content that cannot be
// stored in programs. The verifier decides whether the programs are correct. Unknown keys are skipped.
//
// Memory: `buffers` must have an entry for each rank. This is checked before anything is allocated for each rank, so a
// large number of ranks alone cannot take memory.

namespace {

// The key of a message's place among the receives of its receiver in the round.
constexpr const char* receive_place = "receive_place";

// Appends the region unless it is empty.
void read_region(const JsonValue& value, Regions& regions) {
  const Region region = read_json_region(value);
  if (region.length > 0) regions.push_back(region);
}

Regions read_regions(const JsonValue& list) {
  Regions regions;
  list.for_each([&](const JsonValue& region) { read_region(region, regions); });
  return regions;
}

// Reads the source or target of a local operation: one region, or a list of regions.
Regions read_side(const JsonValue& side) {
  if (side.size("a region or a list of regions") == 0 || side.entry(0).is_array()) return read_regions(side);
  Regions regions;
  read_region(side, regions);
  return regions;
}

OperandOrder read_order(const JsonValue& order) {
  const std::string& word = order.text("'source-first' or 'target-first'");
  if (word == "source-first") return OperandOrder::source_first;
  if (word == "target-first") return OperandOrder::target_first;
  order.expected("'source-first' or 'target-first'");
}

std::optional<Port> read_port(const JsonValue& message) {
  const auto port = message.find("port");
  if (!port) return std::nullopt;
  if (port->size("a port, [dimension, +1 or -1]") != 2) port->expected("a port, [dimension, +1 or -1]");
  const auto dimension = port->entry(0).integer("a dimension", 0, std::numeric_limits<int>::max());
  const JsonValue sign = port->entry(1);
  const auto direction = sign.integer("a direction");
  if (direction != 1 && direction != -1) sign.expected("+1 or -1");
  return Port{static_cast<int>(dimension), static_cast<int>(direction)};
}

// Reads a round into the programs of ranks 0 .. p-1.
class RoundReader {
 public:
  RoundReader(std::vector<Program>& programs, Count number) : programs_(programs), number_(number) {}

  void read(const JsonValue& round) {
    if (const auto locals = round.find("local")) locals->for_each([this](const JsonValue& local) { read_local(local); });
    if (const auto messages = round.find("messages"))
      messages->for_each([this](const JsonValue& message) { read_message(message); });
    if (const auto control = round.find("control")) control->for_each([this](const JsonValue& entry) { read_control(entry); });
    enter(receives_, &Round::receives);
    enter(control_receives_, &Round::control_receives);
  }

 private:
  template <class End>
  struct Received {
    Count place;
    Rank by;
    End end;
  };

  // Adds receives in ascending order of their places; those with equal places in the order of the document.
  template <class End>
  void enter(std::vector<Received<End>>& list, std::vector<End> Round::*receives) {
    std::ranges::stable_sort(list, {}, &Received<End>::place);
    for (Received<End>& received : list) (round_of(received.by).*receives).push_back(std::move(received.end));
  }

  static Count read_place(const JsonValue& message) {
    const auto place = message.find(receive_place);
    return place ? place->integer("a place among the receives of a round", 0) : 0;
  }

  Rank read_rank(const JsonValue& rank) const { return rank.integer("a rank", 0, size(programs_) - 1); }
  Round& round_of(Rank rank) { return round_numbered(programs_[index(rank)], number_); }

  void read_local(const JsonValue& local) {
    const Rank rank = read_rank(local.key("rank"));
    const auto copy = local.find("copy");
    const auto reduce = local.find("reduce");
    if (copy.has_value() == reduce.has_value()) local.refuse("expected either 'copy' or 'reduce'");
    const JsonValue& sides = copy ? *copy : *reduce;
    if (sides.size() != 2) sides.expected("a source and a target");
    Local read{copy ? LocalKind::copy : LocalKind::reduce, {}, read_side(sides.entry(0)), read_side(sides.entry(1))};
    if (reduce) read.order = read_order(local.key("order"));
    if (const auto continues = local.find("continues"); continues && continues->boolean()) return continue_local(local, rank, read);
    if (read.source.empty() && read.target.empty()) return static_cast<void>(after_empty_.insert(rank));
    after_empty_.erase(rank);
    round_of(rank).locals.push_back(std::move(read));
  }

  // Adds a piece to the last operation of the rank.
  void continue_local(const JsonValue& place, Rank rank, const Local& piece) {
    if (bytes(piece.source) != bytes(piece.target)) place.refuse("is a piece whose source and target have different lengths");
    if (after_empty_.erase(rank) > 0) return round_of(rank).locals.push_back(piece);
    const std::vector<Round>& rounds = programs_[index(rank)].rounds;
    const bool any = !rounds.empty() && rounds.back().number == number_ && !rounds.back().locals.empty();
    Local* last = any ? &round_of(rank).locals.back() : nullptr;
    if (!last || last->kind != piece.kind || last->order != piece.order)
      place.refuse(fmt::format("continues no operation of its kind: none of rank {} stands before it in this round", rank));
    last->source.insert(last->source.end(), piece.source.begin(), piece.source.end());
    last->target.insert(last->target.end(), piece.target.begin(), piece.target.end());
  }

  void read_message(const JsonValue& message) {
    const Rank from = read_rank(message.key("from"));
    const Rank to = read_rank(message.key("to"));
    const auto port = read_port(message);
    Regions read = read_regions(message.key("read"));
    Regions write = read_regions(message.key("write"));
    const Count place = read_place(message);
    if (read.empty() && write.empty()) return;
    round_of(from).sends.push_back({to, std::move(read), port});
    receives_.push_back({place, to, {from, std::move(write), port}});
  }

  void read_control(const JsonValue& control) {
    const Rank from = read_rank(control.key("from"));
    const Rank to = read_rank(control.key("to"));
    const Bytes size = control.key("bytes").integer(a_size, 0);
    round_of(from).control_sends.push_back({to, size});
    control_receives_.push_back({read_place(control), to, {from, size}});
  }

  std::vector<Program>& programs_;
  Count number_;
  std::set<Rank> after_empty_;  // ranks whose last operation so far has no bytes
  std::vector<Received<Message>> receives_;
  std::vector<Received<Control>> control_receives_;
};

// Reads the sizes of a buffer. Returns an empty list if they are the sizes that the problem defines.
std::vector<Bytes> read_stated_sizes(const JsonValue& list, const Problem& problem, Bytes (*defined)(const Problem&, Rank)) {
  std::vector<Bytes> sizes = read_json_sizes(list, problem.ranks);
  for (Rank rank = 0; rank < problem.ranks; ++rank)
    if (sizes[index(rank)] != defined(problem, rank)) return sizes;
  return {};
}

Schedule read_schedule(const JsonValue& document, std::size_t text_bytes) {
  const JsonValue format = document.key("format");
  if (format.text() != json_format) format.expected(fmt::format("'{}'", json_format));

  Schedule schedule;
  JsonHead head = read_json_head(document);
  schedule.problem = std::move(head.problem);
  schedule.algorithm = std::move(head.algorithm);
  schedule.parameters = std::move(head.parameters);
  const Count ranks = schedule.problem.ranks;

  const JsonValue buffers = document.key("buffers");
  schedule.stated_input_bytes = read_stated_sizes(buffers.key("input"), schedule.problem, input_bytes);
  schedule.stated_output_bytes = read_stated_sizes(buffers.key("output"), schedule.problem, output_bytes);
  const auto scratch = buffers.find("scratch");
  const std::vector<Bytes> scratch_bytes = scratch ? read_json_sizes(*scratch, ranks) : std::vector<Bytes>(index(ranks));

  StoredPrograms stored(ranks);
  for (Rank rank = 0; rank < ranks; ++rank) stored.programs[index(rank)].scratch_bytes = scratch_bytes[index(rank)];
  Count next_round = 0;
  document.key("stages").for_each([&](const JsonValue& stage) {
    const Count first = next_round;
    stage.key("rounds").for_each([&](const JsonValue& round) { RoundReader(stored.programs, next_round++).read(round); });
    stored.stages.push_back({stage.key("name").text(), first, next_round - first});
  });
  store(schedule, std::move(stored), text_bytes);
  return schedule;
}

}  // namespace

std::vector<Schedule> parse_json(std::string_view text) {
  return read_json_documents(text, "schedule", [&](const JsonValue& document) { return read_schedule(document, text.size()); });
}

// Writes the JSON form (docs/schedule-format.md), one line for each operation and message, so that people and
// `diff` can read it. Everything that may fail is checked before the first byte is written.

namespace {

[[noreturn]] void inexpressible(const std::string& what) {
  throw Error(ErrorCode::malformed, what + ", which the JSON form cannot express; use the text form");
}

// One end of a message or control message. A send gets `partner`, the regions of the matching receive, and its `place`.
struct End {
  Count round = 0;
  Rank from = 0, to = 0;
  std::optional<Port> port;
  Bytes control_bytes = 0;
  const Regions* regions = nullptr;
  const Regions* partner = nullptr;
  Count place = 0;  // among the receives of `to` in this round

  auto meeting() const { return std::tie(round, from, to, port, control_bytes); }
};

struct LocalAt {
  Count round = 0;
  Rank rank = 0;
  const Local* local = nullptr;
};

// The operations of all ranks, sorted by round.
struct Rounds {
  std::vector<LocalAt> locals;
  std::vector<End> messages, controls;
};

void by_round(auto& list) {
  std::stable_sort(list.begin(), list.end(), [](const auto& a, const auto& b) { return a.round < b.round; });
}

// Gives each send the regions and the place of the matching receive. If the same two ranks have several messages on the same port,
// the first send matches the first receive.
void pair_up(std::vector<End>& senders, std::vector<End>& receivers, std::string_view verb) {
  const auto earlier = [](const End* a, const End* b) { return a->meeting() < b->meeting(); };
  std::vector<End*> sends, receives;
  for (End& sender : senders) sends.push_back(&sender);
  for (End& receiver : receivers) receives.push_back(&receiver);
  std::stable_sort(sends.begin(), sends.end(), earlier);
  std::stable_sort(receives.begin(), receives.end(), earlier);
  for_each_meeting(
      sends, receives, [](const End* a, const End* b) { return a->meeting() <=> b->meeting(); },
      [&](End* sender, const End* receiver) { sender->partner = receiver->regions, sender->place = receiver - receivers.data(); },
      [&](const End* sender) {
        inexpressible(fmt::format("in round {} rank {} sends {} to rank {} that is not received", sender->round, sender->from, verb,
                                  sender->to));
      },
      [&](const End* receiver) {
        inexpressible(fmt::format("in round {} rank {} receives {} from rank {} that is not sent", receiver->round, receiver->to,
                                  verb, receiver->from));
      });
  by_round(senders);
}

// If a rank receives the messages of a round in the order in which the document lists them, sets their places to 0: readers then
// need no places.
void forget_needless_places(std::vector<End>& messages) {
  std::vector<End*> received;
  for (End& message : messages) received.push_back(&message);
  const auto by_receiver = [](const End* message) { return std::pair(message->round, message->to); };
  std::ranges::stable_sort(received, {}, by_receiver);
  for (auto first = received.begin(), last = first; first != received.end(); first = last) {
    last = std::find_if(first, received.end(), [&](const End* message) { return by_receiver(message) != by_receiver(*first); });
    Count place = 0;
    const bool as_listed = std::ranges::is_sorted(first, last, {}, &End::place);
    std::ranges::sort(first, last, {}, &End::place);
    std::for_each(first, last, [&](End* message) { message->place = as_listed ? 0 : place++; });
  }
}

Rounds turned(const std::vector<Program>& programs) {
  Rounds rounds;
  std::vector<End> receives, control_receives;
  for (const Program& program : programs)
    for (const Round& round : program.rounds) {
      const Rank me = program.rank;
      for (const Local& local : round.locals) rounds.locals.push_back({round.number, me, &local});
      for (const Message& send : round.sends) rounds.messages.push_back({round.number, me, send.peer, send.port, 0, &send.regions});
      for (const Message& receive : round.receives)
        receives.push_back({round.number, receive.peer, me, receive.port, 0, &receive.regions});
      for (const Control& send : round.control_sends) rounds.controls.push_back({round.number, me, send.peer, {}, send.bytes});
      for (const Control& receive : round.control_receives)
        control_receives.push_back({round.number, receive.peer, me, {}, receive.bytes});
    }
  by_round(rounds.locals);
  pair_up(rounds.messages, receives, "a message");
  pair_up(rounds.controls, control_receives, "a control entry");
  std::erase_if(rounds.messages, [](const End& message) { return bytes(*message.regions) == 0 && bytes(*message.partner) == 0; });
  forget_needless_places(rounds.messages);
  forget_needless_places(rounds.controls);
  return rounds;
}

// Throws if a region cannot be split into runs.
void check_regions(const std::vector<Program>& programs) {
  for (const Program& program : programs)
    for (const Round& round : program.rounds)
      for_all_regions(round, [](const Regions& regions) {
        bytes(regions);
        for (const Region& region : regions) hull(region);
      });
}

// The format lists every round, even an empty one. The number of empty rounds is limited, because otherwise a few words
// of text could ask for 2^60 rounds.
constexpr Count most_idle_rounds = Count{1} << 20;

[[noreturn]] void too_many_rounds(const std::string& rounds) {
  throw Error(
      ErrorCode::too_large,
      fmt::format("the stages have {} rounds, but the JSON form lists every round and allows only {} empty ones; use the text form",
                  rounds, most_idle_rounds));
}

// Checks that all programs have the same stages, that these have no gaps, and that every round belongs to one of
// them.
void check_stages(const std::vector<Program>& programs) {
  Count rounds = 0;
  for (const Stage& stage : programs.front().stages) {
    if (stage.first_round != rounds || stage.round_count < 0)
      inexpressible(fmt::format("stage '{}' does not begin at round {}, where the one before ends", stage.name, rounds));
    if (__builtin_add_overflow(rounds, stage.round_count, &rounds)) too_many_rounds("2^63 or more");
  }
  Count acting = 0;
  for (const Program& program : programs) {
    acting += static_cast<Count>(program.rounds.size());
    if (program.stages != programs.front().stages) inexpressible(fmt::format("rank {} has other stages than rank 0", program.rank));
    Count next = 0;
    for (const Round& round : program.rounds) {
      if (round.number < next || round.number >= rounds)
        inexpressible(fmt::format("rank {} has round {} out of order or in no stage", program.rank, round.number));
      next = round.number + 1;
    }
  }
  if (rounds - most_idle_rounds > acting) too_many_rounds(std::to_string(rounds));
}

class JsonWriter {
 public:
  JsonWriter(std::ostream& out, const Schedule& schedule) : out_(out), schedule_(schedule), problem_(schedule.problem) {}

  void write() {
    for (Rank rank = 0; rank < problem_.ranks; ++rank) programs_.push_back(schedule_.program(rank));
    check_stages(programs_);
    check_regions(programs_);
    rounds_ = turned(programs_);
    std::vector<std::string> stage_names;
    for (const Stage& stage : programs_.front().stages) stage_names.push_back(json_string(stage.name));

    out_.print("{{\"format\": \"{}\"", json_format);
    write_json_head(out_, {problem_, schedule_.algorithm, schedule_.parameters});
    write_buffers();
    out_.print(",\n\"stages\": [");
    for (std::size_t i = 0; i < stage_names.size(); ++i) {
      const Stage& stage = programs_.front().stages[i];
      out_.print("{}{{\"name\": {}, \"rounds\": [", i == 0 ? "\n" : ",\n", stage_names[i]);
      for (Count round = stage.first_round; round < stage.first_round + stage.round_count; ++round) {
        out_.print("{}", round == stage.first_round ? "\n" : ",\n");
        write_round(round);
      }
      out_.print("]}}");
    }
    out_.print("]}}");
    out_.flush();
  }

 private:
  void write_buffers() {
    const auto list = [&](std::string_view key, auto&& size_of) {
      out_.print("  \"{}\": [", key);
      for (Rank rank = 0; rank < problem_.ranks; ++rank) out_.print("{}{}", rank == 0 ? "" : ", ", size_of(rank));
      out_.print("]");
    };
    out_.print(",\n\"buffers\": {{\n");
    list("input", [&](Rank rank) { return buffer_bytes(schedule_, rank).input; });
    out_.print(",\n");
    list("output", [&](Rank rank) { return buffer_bytes(schedule_, rank).output; });
    out_.print(",\n");
    list("scratch", [&](Rank rank) { return programs_[index(rank)].scratch_bytes; });
    out_.print("}}");
  }

  void write_round(Count number) {
    const char* separator = "";
    out_.print("  {{\"local\": [");
    for (; next_local_ < rounds_.locals.size() && rounds_.locals[next_local_].round == number; ++next_local_)
      write_local(rounds_.locals[next_local_], separator);
    separator = "";
    out_.print("],\n   \"messages\": [");
    for (; next_message_ < rounds_.messages.size() && rounds_.messages[next_message_].round == number; ++next_message_)
      write_message(rounds_.messages[next_message_], separator);
    out_.print("]");
    separator = ",\n   \"control\": [";
    const std::size_t first_control = next_control_;
    for (; next_control_ < rounds_.controls.size() && rounds_.controls[next_control_].round == number; ++next_control_) {
      const End& control = rounds_.controls[next_control_];
      out_.print("{}\n    {{\"from\": {}, \"to\": {}, \"bytes\": {}", separator, control.from, control.to, control.control_bytes);
      end_message(control);
      separator = ",";
    }
    out_.print("{}}}", next_control_ > first_control ? "]" : "");
  }

  // The format pairs one source region with one target region, so an operation on lists is written as several operations.
  void write_local(const LocalAt& place, const char*& separator) {
    const bool is_copy = place.local->kind == LocalKind::copy;
    const char* continues = "";
    for (const Local& piece : pieces_of(*place.local)) {
      out_.print("{}\n    {{\"rank\": {}, \"{}\": [", separator, place.rank, is_copy ? "copy" : "reduce");
      if (bytes(piece.source) == bytes(piece.target))
        write_region(piece.source.front()), out_.print(", "), write_region(piece.target.front());
      else  // an incorrect operation is written unchanged
        write_regions(piece.source), out_.print(", "), write_regions(piece.target);
      out_.print("]");
      if (!is_copy) out_.print(", \"order\": \"{}\"", piece.order == OperandOrder::source_first ? "source-first" : "target-first");
      out_.print("{}}}", std::exchange(continues, ", \"continues\": true"));
      separator = ",";
    }
  }

  void write_message(const End& message, const char*& separator) {
    out_.print("{}\n    {{\"from\": {}, \"to\": {}", separator, message.from, message.to);
    if (message.port) out_.print(", \"port\": [{}, {}]", message.port->dimension, message.port->direction);
    out_.print(", \"read\": ");
    write_regions(flattened(*message.regions));
    out_.print(", \"write\": ");
    write_regions(flattened(*message.partner));
    end_message(message);
    separator = ",";
  }

  void end_message(const End& message) {
    if (message.place > 0) out_.print(", \"{}\": {}", receive_place, message.place);
    out_.print("}}");
  }

  void write_regions(const Regions& runs) {
    const char* separator = "";
    out_.print("[");
    for (const Region& run : runs) {
      out_.print("{}", std::exchange(separator, ", "));
      write_region(run);
    }
    out_.print("]");
  }

  void write_region(const Region& run) { out_.print("[\"{}\", {}, {}]", name(run.buffer), run.offset, run.length); }

  Printer out_;
  const Schedule& schedule_;
  const Problem& problem_;
  std::vector<Program> programs_;
  Rounds rounds_;
  std::size_t next_local_ = 0, next_message_ = 0, next_control_ = 0;
};

}  // namespace

void write_json(std::ostream& out, const Schedule& schedule) { JsonWriter(out, schedule).write(); }

}  // namespace quadrille
