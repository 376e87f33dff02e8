// SPDX-License-Identifier: BSD-3-Clause
#include "papers/exhibits/irregular.hpp"

#include <algorithm>

namespace quadrille::papers {

std::string irregular_algorithm(int number) {
  switch (number) {
    case 1: return "shift";
    case 2: return "two-phase:grain=1,counts=known";
    case 3: return "grid:columns=paper,counts=known";
    default: return "four-stage:columns=paper,split=paper,grain=1,counts=known";
  }
}

Problem traffic_of(Count ranks, TrafficKind kind, Bytes most, Bytes small, std::uint64_t seed) {
  return make_traffic(ranks, {.kind = kind, .most = most, .small = small, .typical = most, .seed = seed});
}

std::vector<StageTrace> trace(const Schedule& schedule) {
  const Count p = schedule.problem.ranks;
  const Traffic traffic(schedule.problem);
  std::vector<Bytes> held;
  std::vector<StageTrace> stages;
  std::vector<std::vector<Bytes>> sent;  // by stage and rank
  for (Rank rank = 0; rank < p; ++rank) {
    held.push_back(traffic.sent_bytes(rank));
    const Program program = schedule.program(rank);
    if (rank == 0)
      for (const Stage& stage : program.stages) {
        stages.push_back({.name = stage.name});
        stages.back().received.resize(index(p));
        stages.back().longest.resize(index(p));
        stages.back().held.resize(index(p));
        sent.emplace_back(index(p));
      }
    std::size_t stage = 0;
    for (const Round& round : program.rounds) {
      while (stage + 1 < program.stages.size() && round.number >= program.stages[stage + 1].first_round) ++stage;
      for (const Message& message : round.sends) {
        const Bytes length = bytes(message.regions);
        StageTrace& traced = stages[stage];
        traced.messages.push_back({round.number - program.stages[stage].first_round, rank, message.peer, length});
        const std::size_t to = index(message.peer);
        ++traced.received[to];
        traced.longest[to] = std::max(traced.longest[to], length);
        traced.held[to] += length;
        sent[stage][index(rank)] += length;
      }
    }
  }
  for (std::size_t stage = 0; stage < stages.size(); ++stage) {
    StageTrace& traced = stages[stage];
    for (std::size_t rank = 0; rank < held.size(); ++rank) {
      const Bytes kept = held[rank] - sent[stage][rank];
      traced.received[rank] += kept > 0 ? 1 : 0;
      traced.longest[rank] = std::max(traced.longest[rank], kept);
      traced.held[rank] += kept;
      traced.kept.push_back(kept);
    }
    held = traced.held;
  }
  return stages;
}

namespace {

void add_own_messages(Program& program, const std::vector<StageTrace>& stages, Rank rank, Rank twin) {
  std::vector<Round> rounds;
  auto next = program.rounds.begin();
  // Offset of unused memory. Messages to oneself use this memory, so that they depend on no other message and delay other
  // messages only at the ports.
  Bytes free = program.scratch_bytes;
  for (std::size_t i = 0; i < stages.size(); ++i) {
    Stage& stage = program.stages[i];
    const Count end = stage.first_round + stage.round_count, added = static_cast<Count>(i);
    for (; next != program.rounds.end() && next->number < end; ++next) {
      rounds.push_back(std::move(*next));
      rounds.back().number += added;
    }
    if (const Bytes kept = stages[i].kept[index(rank)]; kept > 0) {
      const auto at = [&](Bytes offset) { return Regions{{.buffer = Buffer::scratch, .offset = offset, .length = kept}}; };
      rounds.push_back({.number = end + added, .sends = {{twin, at(free)}}, .receives = {{twin, at(free + kept)}}});
      free += 2 * kept;
    }
    stage.first_round += added;
    ++stage.round_count;
  }
  program.rounds = std::move(rounds);
  program.scratch_bytes = free;
}

}  // namespace

Schedule with_own_messages(const Schedule& schedule) {
  const Count p = schedule.problem.ranks;
  Schedule twins = schedule;
  twins.problem = Problem::alltoall(2 * p, 1);  // only the number of ranks is used; the programs say who sends what
  twins.symmetry.reset();
  twins.program = [p, one = schedule.program, stages = trace(schedule)](Rank rank) {
    const Rank base = rank / p * p, twin = (rank + p) % (2 * p);
    Program program = one(rank % p);
    program.rank = rank;
    for (Round& round : program.rounds)
      for (std::vector<Message>* messages : {&round.sends, &round.receives})
        for (Message& message : *messages) message.peer += base;
    add_own_messages(program, stages, rank % p, twin);
    return program;
  };
  return twins;
}

namespace {

void use_two_buffers(Program& program) {
  const Count stages = size(program.stages);
  const auto stage_of = [&](const Round& round) {
    Count stage = 0;
    while (stage + 1 < stages && round.number >= program.stages[index(stage + 1)].first_round) ++stage;
    return stage;
  };
  std::vector<Bytes> sent(index(stages), 0), received(sent);
  for (const Round& round : program.rounds) {
    for (const Message& message : round.sends) sent[index(stage_of(round))] += bytes(message.regions);
    for (const Message& message : round.receives) received[index(stage_of(round))] += bytes(message.regions);
  }
  const Bytes area = std::max(*std::max_element(sent.begin(), sent.end()), *std::max_element(received.begin(), received.end()));
  // What each stage receives has an area of its own. The two send buffers follow, each as long as all receive areas together.
  const auto at = [](Bytes offset, Bytes length) {
    return Regions{{.buffer = Buffer::scratch, .offset = offset, .length = length}};
  };
  const auto send_buffer = [&](Count stage) { return (1 + stage % 2) * stages * area; };
  std::fill(sent.begin(), sent.end(), 0);
  std::fill(received.begin(), received.end(), 0);
  Count last = -1;
  for (Round& round : program.rounds) {
    const Count stage = stage_of(round);
    const auto place = [&](Bytes& used, Bytes begin, Message& message) {
      const Bytes length = bytes(message.regions);
      message.regions = at(begin + used, length);
      used += length;
    };
    round.locals.clear();
    if (stage != last && stage > 0)
      round.locals.push_back(
          {.kind = LocalKind::copy, .source = at(0, stage * area), .target = at(send_buffer(stage), stage * area)});
    last = stage;
    for (Message& message : round.sends) place(sent[index(stage)], send_buffer(stage), message);
    for (Message& message : round.receives) place(received[index(stage)], stage * area, message);
  }
  program.scratch_bytes = 3 * stages * area;
}

}  // namespace

Schedule with_two_buffers(const Schedule& schedule) {
  Schedule buffered = schedule;
  buffered.symmetry.reset();
  buffered.program = [inner = schedule.program](Rank rank) {
    Program program = inner(rank);
    if (!program.rounds.empty()) use_two_buffers(program);
    return program;
  };
  return buffered;
}

Bytes most_received(const std::vector<StageTrace>& stages) {
  Bytes most = 0;
  for (std::size_t rank = 0; rank < stages.at(0).held.size(); ++rank) {
    Bytes sum = 0;
    for (const StageTrace& stage : stages) sum += stage.held[rank];
    most = std::max(most, sum);
  }
  return most;
}

Bytes most_held(const std::vector<StageTrace>& stages) {
  Bytes most = 0;
  for (const StageTrace& stage : stages) most = std::max(most, *std::max_element(stage.held.begin(), stage.held.end()));
  return most;
}

Count paper_root(Count ranks) {
  Count root = 1;
  while (root * root < ranks) ++root;
  return root;
}

double PaperPlatform::worth_it_below(double startups, double volume) const {
  const Coefficients flat = machine_of_paper(machine).models.at("flat");
  const double byte = flat.at("compose_us_per_byte") + flat.at("copy_us_per_byte") + flat.at("wire_us_per_byte");
  return startups * flat.at("startup_us") / (volume * byte * Number(element_bytes));
}

std::string_view pattern_name(TrafficKind pattern) { return pattern == TrafficKind::spike ? "Pattern1" : "Pattern2"; }

}  // namespace quadrille::papers
