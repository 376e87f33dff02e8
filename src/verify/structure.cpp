// SPDX-License-Identifier: BSD-3-Clause
// The rules that can be checked for each program separately.
#include <fmt/format.h>

#include <algorithm>

#include "schedule/composition.hpp"
#include "verify/finding_list.hpp"

namespace quadrille {
namespace {

class StructureCheck {
 public:
  StructureCheck(const Schedule& schedule, const Program& program, Count port_limit, FindingList& findings)
      : schedule_(schedule),
        program_(program),
        port_limit_(port_limit),
        findings_(findings),
        sizes_(buffer_sizes(schedule, program)) {
    const auto compare = [&](Bytes stated, Bytes canonical, const char* which) {
      if (stated != canonical)
        findings_.add({.rule = Rule::buffer_size,
                       .rank = program.rank,
                       .message = fmt::format("the {} buffer has {} bytes; {} needs {}", which, stated,
                                              name(schedule.problem.collective), canonical)});
    };
    compare(sizes_[0], input_bytes(schedule.problem, program.rank), "input");
    compare(sizes_[1], output_bytes(schedule.problem, program.rank), "output");
  }

  void round(const Round& round) {
    round_ = &round;
    for (const Local& local : round.locals) check_local(local);
    check_messages(round.sends, "sends", false);
    check_messages(round.receives, "receives", true);
    if (!moves_data(schedule_.problem.collective)) {
      check_ports("sends", round.control_sends.size());
      check_ports("receives", round.control_receives.size());
    }
    check_controls(round.control_sends, "sends");
    check_controls(round.control_receives, "receives");
  }

  void check_order(const std::vector<Stage>& stages) {
    Count previous = -1;
    for (const Round& round : program_.rounds) {
      round_ = &round;
      if (round.number <= previous)
        add(Rule::round_order, {}, fmt::format("round {} comes after round {}", round.number, previous));
      const bool in_stage = std::any_of(stages.begin(), stages.end(), [&](const Stage& stage) {
        return round.number >= stage.first_round && round.number - stage.first_round < stage.round_count;
      });
      if (!in_stage) add(Rule::round_order, {}, fmt::format("round {} belongs to no stage", round.number));
      previous = round.number;
    }
  }

 private:
  void add(Rule rule, std::optional<Region> region, std::string message) {
    findings_.add({rule, program_.rank, stage_name(program_.stages, round_->number), round_->number, region, std::move(message)});
  }

  void check_region(const Region& region, bool written) {
    if (written && region.buffer == Buffer::input)
      add(Rule::input_written, region, "the input belongs to the caller and must not be written");
    if (lies_in(sizes_, region)) return;
    add(Rule::out_of_buffer, region,
        fmt::format("reaches outside a buffer of {} bytes", sizes_[static_cast<std::size_t>(region.buffer)]));
  }

  void check_regions(const Regions& regions, bool written) {
    for (const Region& region : regions) check_region(region, written);
  }

  void check_local(const Local& local) {
    check_regions(local.source, false);
    check_regions(local.target, true);
    const Bytes source = bytes(local.source), target = bytes(local.target);
    if (source != target) add(Rule::length_mismatch, first(local.target), fmt::format("{} bytes into {}", source, target));
    if (local.kind == LocalKind::copy) return;
    if (!is_reduction(schedule_.problem.collective))
      return add(Rule::no_operator, first(local.target),
                 fmt::format("{} is not a reduction, so it has no operator", name(schedule_.problem.collective)));
    const Bytes element = schedule_.problem.element_bytes;
    for (const Regions* regions : {&local.source, &local.target})
      for (const Region& region : *regions)
        if (region.length % element != 0)
          add(Rule::element_cut, region, fmt::format("runs of {} bytes split elements of {} bytes", region.length, element));
  }

  void check_peer(Rank peer) {
    if (peer < 0 || peer >= schedule_.problem.ranks)
      add(Rule::unknown_rank, {}, fmt::format("there is no rank {}; ranks are 0 to {}", peer, schedule_.problem.ranks - 1));
    if (peer == program_.rank) add(Rule::self_message, {}, "a rank must not send to itself; use a local copy");
  }

  void check_messages(const std::vector<Message>& messages, const char* verb, bool written) {
    std::vector<std::pair<Rank, std::optional<Port>>> ends;
    for (const Message& message : messages) {
      check_peer(message.peer);
      check_regions(message.regions, written);
      ends.emplace_back(message.peer, message.port);
    }
    std::sort(ends.begin(), ends.end());
    for (std::size_t i = 1; i < ends.size(); ++i)
      if (ends[i] == ends[i - 1] || (ends[i].first == ends[i - 1].first && !ends[i - 1].second))
        add(Rule::repeated_message, {},
            fmt::format("{} two messages with rank {} in one round by the same port", verb, ends[i].first));
    check_ports(verb, messages.size());
  }

  void check_controls(const std::vector<Control>& controls, const char* verb) {
    for (const Control& control : controls) {
      check_peer(control.peer);
      if (control.bytes < 0) add(Rule::length_mismatch, {}, fmt::format("a control message has {} bytes", control.bytes));
    }
    if (const auto peer = repeated_peer(controls))
      add(Rule::repeated_message, {}, fmt::format("{} two control messages with rank {} in one round", verb, *peer));
  }

  void check_ports(const char* verb, std::size_t count) {
    if (static_cast<Count>(count) > port_limit_)
      add(Rule::port_limit, {}, fmt::format("{} {} messages in one round on {} ports", verb, count, port_limit_));
  }

  static std::optional<Region> first(const Regions& regions) {
    return regions.empty() ? std::nullopt : std::optional(regions.front());
  }

  const Schedule& schedule_;
  const Program& program_;
  const Count port_limit_;
  FindingList& findings_;
  const std::array<Bytes, 4> sizes_;
  const Round* round_ = nullptr;
};

// Says where a rank's stages first differ from those of rank `first`.
std::string stage_difference(const std::vector<Stage>& own, const std::vector<Stage>& others, Rank first) {
  const auto [mine, theirs] = std::mismatch(own.begin(), own.end(), others.begin(), others.end());
  if (mine == own.end() || theirs == others.end())
    return fmt::format("has {} stages, and rank {} has {}", own.size(), first, others.size());
  if (mine->name != theirs->name)
    return fmt::format("stage {} is '{}', and '{}' at rank {}", mine - own.begin(), mine->name, theirs->name, first);
  return fmt::format("stage '{}' has {} rounds from round {}, and at rank {} it has {} from round {}", mine->name,
                     mine->round_count, mine->first_round, first, theirs->round_count, theirs->first_round);
}

}  // namespace

void check_structure(const Schedule& schedule, const std::vector<Program>& programs, Count port_limit, FindingList& findings) {
  for (const Program& program : programs) {
    if (findings.full()) return;
    if (program.stages != programs.front().stages)
      findings.add({.rule = Rule::stage_disagreement,
                    .rank = program.rank,
                    .message = stage_difference(program.stages, programs.front().stages, programs.front().rank)});
    StructureCheck check(schedule, program, port_limit, findings);
    check.check_order(program.stages);
    for (const Round& round : program.rounds) check.round(round);
  }
}

}  // namespace quadrille
