// SPDX-License-Identifier: BSD-3-Clause
#include "execute/script/script.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "foundation/arithmetic.hpp"
#include "foundation/assert.hpp"
#include "quadrille/error.hpp"
#include "quadrille/indexed.hpp"
#include "schedule/composition.hpp"
#include "schedule/dependence.hpp"
#include "schedule/ordering.hpp"

namespace quadrille {
namespace {

constexpr Bytes staging_alignment = 64;  // a cache line: messages must not share a line

// Rounds up to whole cache lines.
Bytes in_lines(Bytes length) { return rounded_up(length, staging_alignment); }

// The length of a list as scripts store it.
std::uint32_t count(const auto& list) { return static_cast<std::uint32_t>(list.size()); }

// Refuses two control messages to one rank in a round: executors match messages by their order, and two control messages of one
// round have no order.
void check_control_messages(const Program& program) {
  for (const Round& round : program.rounds)
    for (const auto* controls : {&round.control_sends, &round.control_receives})
      if (const auto peer = repeated_peer(*controls))
        throw Error(
            ErrorCode::misuse,
            fmt::format("in round {} rank {} has two control messages {} rank {}; from one rank to another there is one a round",
                        round.number, program.rank, controls == &round.control_sends ? "to" : "from", *peer));
}

// Returns the bytes that control messages occupy at the beginning of staging memory. Throws Error{too_large} beyond 2^63.
Bytes control_bytes(const Program& posted) {
  Bytes end = 0;
  for (const Round& round : posted.rounds)
    for (const auto* messages : {&round.sends, &round.receives})
      for (const Message& message : *messages)
        if (is_control(message)) end = std::max(end, hull(message.regions[0]).second);
  return end;
}

// Drops the regions without bytes that a document may list. Transports take the address of a contiguous message from its first
// region. A control message keeps its only region, which may be empty.
Program without_empty_regions(Program program) {
  for (Round& round : program.rounds)
    for (auto* messages : {&round.sends, &round.receives})
      for (Message& message : *messages)
        if (!is_control(message)) std::erase_if(message.regions, [](const Region& region) { return bytes(region) == 0; });
  return program;
}

class ScriptMaker {
 public:
  ScriptMaker(const Program& program, Count ranks, const ScriptOptions& options)
      : program_(without_empty_regions(in_posting_order(program))),
        options_(options),
        graph_(dependences(program_)),
        places_(channel_places(program_, graph_)),
        control_bytes_(in_lines(control_bytes(program_))),
        staged_(graph_.operations.size(), false),
        overwritten_(graph_.operations.size(), false),
        fused_(graph_.operations.size(), no_operation) {
    QUADRILLE_ASSERT(program_.rank >= 0 && program_.rank < ranks);
    QUADRILLE_ASSERT(options.buffers >= 1 && options.longest_message >= 1);
    script_.rank = program_.rank;
    script_.ranks = ranks;
    script_.policy = options.policy;
    script_.longest_message = options.longest_message;
    script_.scratch_bytes = program_.scratch_bytes;
    script_.staging_bytes = control_bytes_;
    script_.capacity = options.capacity;
    QUADRILLE_ASSERT(options.capacity == 0 || control_bytes_ == 0);
    script_.operation = options.operation;
    script_.nodes = options.nodes;
  }

  Script make() && {
    if (options_.policy == Policy::dataflow)
      make_tasks();
    else
      make_windows();
    check_contract(script_);
    return std::move(script_);
  }

 private:
  const Operation& operation(std::size_t i) const { return graph_.operations[i]; }

  Count number_of_round(std::size_t i) const { return program_.rounds[operation(i).round].number; }

  bool is_buffered(std::size_t i) const {
    const Message& message = graph_.message(program_, i);
    return bytes(message.regions) <= options_.buffered_bytes(message.peer);
  }

  // Does the transport write received bytes only after all sends of the window have been posted? Yes for shared memory, which
  // copies in wait(). MPI may fill a receive as soon as it is posted, and receives are posted before sends.
  bool arrives_after_posting(std::size_t receive) const {
    return options_.buffered_bytes(graph_.message(program_, receive).peer) >= 0;
  }

  // Decides which messages are staged: strided messages that the transport cannot move, and sends whose source a receive of the
  // same window overwrites. If the transport copies such a send out before the receive can write, the send is not staged, but
  // marked as overwritten.
  void decide_staging(const std::vector<std::size_t>& group_of_round) {
    for (std::size_t i = 0; i < staged_.size(); ++i)
      if (operation(i).kind != OperationKind::local && !options_.strided_messages && !is_buffered(i) &&
          !is_contiguous(graph_.message(program_, i).regions))
        staged_[i] = true;
    for (const auto& [send, receive] : packed_sends(graph_, group_of_round))
      (is_buffered(send) && arrives_after_posting(receive) ? overwritten_ : staged_)[send] = true;
  }

  // Finds receives that can be fused with their reduction: the received bytes go to scratch memory and are read by that reduction
  // only, and nothing between the two touches the reduction's target. Receives are fused only in the order of their reductions.
  void decide_fusion(const std::vector<std::size_t>& window_of_round) {
    const auto window = [&](std::size_t i) { return window_of_round[operation(i).round]; };
    std::vector<std::vector<std::size_t>> readers(fused_.size());
    for (std::size_t i = 0; i < fused_.size(); ++i)
      for (const Dependence& dependence : graph_.before[i])
        if (dependence.hazard == Hazard::read_after_write) readers[dependence.on].push_back(i);
    std::size_t last = 0;  // the last reduction that has been fused
    for (std::size_t i = 0; i < fused_.size(); ++i) {
      if (operation(i).kind != OperationKind::receive || staged_[i] || readers[i].size() != 1) continue;
      const std::size_t reduction = readers[i].front();
      if (operation(reduction).kind != OperationKind::local || reduction < last || window(reduction) != window(i) + 1) continue;
      const Local& local = graph_.local(program_, reduction);
      const Regions& regions = graph_.message(program_, i).regions;
      if (local.kind != LocalKind::reduce || local.source != regions ||
          !std::all_of(regions.begin(), regions.end(), [](const Region& region) { return region.buffer == Buffer::scratch; }))
        continue;
      std::vector<std::size_t> sends;
      const auto& before = graph_.before[reduction];
      if (!std::all_of(before.begin(), before.end(), [&](const Dependence& dependence) {
            const std::size_t on = dependence.on;
            if (on == i || window(on) < window(i)) return true;
            if (window(on) > window(i)) return fused_[on] != no_operation;
            if (operation(on).kind == OperationKind::send && is_buffered(on)) sends.push_back(on);
            return operation(on).kind == OperationKind::local || (operation(on).kind == OperationKind::send && is_buffered(on));
          }))
        continue;
      for (const std::size_t send : sends) overwritten_[send] = true;
      fused_[i] = reduction;
      fused_[reduction] = i;
      last = reduction;
    }
  }

  Region staging_region(Bytes& used, Bytes length) {
    const Region region{Buffer::staging, used, length, {}};
    used += options_.capacity > 0 ? length : in_lines(length);  // offsets of elastic scripts are multiples of the block
    return region;
  }

  IndexRange append(const Regions& source, const Regions& target) {
    const std::uint32_t first = count(script_.copies);
    append_copies(script_.copies, source, target);
    return {first, count(script_.copies)};
  }

  IndexRange append_local(std::size_t i) {
    const Local& local = graph_.local(program_, i);
    const IndexRange steps = append(local.source, local.target);
    if (local.kind == LocalKind::reduce) {
      QUADRILLE_ASSERT(options_.operation);
      const bool source_first = local.order == OperandOrder::source_first;
      for (std::uint32_t step = steps.first; step < steps.last; ++step) {
        // The verifier's rule element-cut.
        QUADRILLE_ASSERT(script_.copies[step].length % options_.operation->element_bytes == 0);
        script_.copies[step].effect = source_first ? Effect::combine_source_first : Effect::combine_target_first;
      }
    }
    return steps;
  }

  // Appends the message of operation i. `place` is its staging memory, if it is staged.
  std::uint32_t enter_message(std::size_t i, const Region& place) {
    const Message& message = graph_.message(program_, i);
    const bool is_send = operation(i).kind == OperationKind::send;
    script_.messages.push_back({message.peer, bytes(message.regions), is_send, program_.rounds[operation(i).round].number,
                                places_[i].position, overwritten_[i], staged_[i] ? Regions{place} : message.regions});
    if (fused_[i] != no_operation) {
      ScriptMessage& fused = script_.messages.back();
      QUADRILLE_ASSERT(fused.bytes > 0);  // so its reduction has a copy
      fused.reduced_into = graph_.local(program_, fused_[i]).target;
      fused.reduction = append_local(fused_[i]);
      fused.effect = script_.copies[fused.reduction.first].effect;
    }
    return count(script_.messages) - 1;
  }

  void make_windows() {
    const auto window_of_round = windows(program_, graph_, options_.policy);
    decide_staging(window_of_round);
    if (options_.fuses) decide_fusion(window_of_round);
    for (std::size_t first = 0, last = 0; first < graph_.operations.size(); first = last) {
      const std::size_t number = window_of_round[operation(first).round];
      while (last < graph_.operations.size() && window_of_round[operation(last).round] == number) ++last;
      make_window(first, last);
    }
  }

  void make_window(std::size_t first, std::size_t last) {
    Window window{.first_round = number_of_round(first), .last_round = number_of_round(last - 1)};
    Bytes used = control_bytes_;
    std::map<std::size_t, Region> places;
    window.copies_before.first = count(script_.copies);
    for (std::size_t i = first; i < last; ++i) {
      if (operation(i).kind == OperationKind::local && fused_[i] == no_operation) append_local(i);
      if (operation(i).kind == OperationKind::local || !staged_[i]) continue;
      const Regions& regions = graph_.message(program_, i).regions;
      places[i] = staging_region(used, bytes(regions));
      if (operation(i).kind == OperationKind::send) append(regions, {places[i]});
    }
    window.copies_before.last = count(script_.copies);
    window.messages.first = count(script_.messages);
    for (const OperationKind kind : {OperationKind::receive, OperationKind::send})  // so that fewer messages are unexpected
      for (std::size_t i = first; i < last; ++i)
        if (operation(i).kind == kind) enter_message(i, places[i]);
    window.messages.last = count(script_.messages);
    window.copies_after.first = count(script_.copies);
    for (std::size_t i = first; i < last; ++i)
      if (operation(i).kind == OperationKind::receive && staged_[i]) append({places[i]}, graph_.message(program_, i).regions);
    window.copies_after.last = count(script_.copies);
    script_.staging_bytes = std::max(script_.staging_bytes, used);
    script_.windows.push_back(window);
  }

  // The tasks of one operation: `start` begins it (packs a staged send), `message` moves it, `finish` completes it (unpacks).
  struct OperationTasks {
    std::uint32_t start, message, finish;
  };

  std::uint32_t enter_task(IndexRange copies, std::uint32_t message) {
    script_.tasks.push_back({copies, message, {}, {}});
    after_start_.emplace_back();
    after_completion_.emplace_back();
    script_.predecessors.push_back(0);
    return count(script_.tasks) - 1;
  }

  void wait(std::uint32_t task, std::uint32_t on, bool completion = true) {
    QUADRILLE_ASSERT(task != on && task < script_.tasks.size() && on < script_.tasks.size());
    (completion ? after_completion_ : after_start_)[on].push_back(task);
    ++script_.predecessors[task];
  }

  void make_tasks() {
    decide_staging(every_round_alone(program_));
    const std::vector<Region> areas = staging_areas();
    for (std::size_t i = 0; i < graph_.operations.size(); ++i) {
      tasks_.push_back(operation(i).kind == OperationKind::local ? enter_local(i) : enter_message_tasks(i, areas[i]));
      if (staged_[i]) wait_for_area(i);
    }
    wait_in_order();
    for (std::size_t t = 0; t < script_.tasks.size(); ++t) {
      script_.tasks[t].after_start = enter_successors(after_start_[t]);
      script_.tasks[t].after_completion = enter_successors(after_completion_[t]);
    }
  }

  OperationTasks enter_local(std::size_t i) {
    const std::uint32_t task = enter_task(append_local(i), Task::no_message);
    script_.tasks[task].local = static_cast<std::int32_t>(operation(i).index);
    script_.tasks[task].round = number_of_round(i);
    return {task, task, task};
  }

  OperationTasks enter_message_tasks(std::size_t i, const Region& area) {
    const Regions& regions = graph_.message(program_, i).regions;
    const bool is_send = operation(i).kind == OperationKind::send;
    OperationTasks own{};
    if (staged_[i] && is_send)
      script_.tasks[own.start = enter_task(append(regions, {area}), Task::no_message)].round = number_of_round(i);
    own.message = enter_task({}, enter_message(i, area));
    if (staged_[i] && is_send) wait(own.message, own.start);
    if (!staged_[i] || !is_send) own.start = own.message;
    own.finish = own.message;
    if (staged_[i] && !is_send) {
      own.finish = enter_task(append({area}, regions), Task::no_message);
      script_.tasks[own.finish].collects = true;
      script_.tasks[own.finish].round = number_of_round(i);
      wait(own.finish, own.message);
    }
    if (const std::size_t previous = places_[i].previous; previous != no_operation)
      wait(own.message, tasks_[previous].message, false);
    return own;
  }

  // Adds the ordering's edges to the task graph. A task that must wait until a send's memory is free waits for
  // different events: of a staged send, for the packing; of a message that the transport copies out when it is posted, for the
  // posting.
  void wait_in_order() {
    const Ordering order = ordering(program_, graph_, Policy::dataflow);
    std::vector<OperationTasks> tasks;  // by step of the ordering
    for (const Ordering::Step& step : order.steps) {
      const bool is_operation = step.operation != no_operation;
      const std::uint32_t gate = is_operation ? 0 : enter_task({}, Task::no_message);
      tasks.push_back(is_operation ? tasks_[step.operation] : OperationTasks{gate, gate, gate});
    }
    for (const auto& [first, second] : order.edges) {
      const Ordering::Step &from = order.steps[first], &to = order.steps[second];
      const bool from_operation = from.operation != no_operation, to_operation = to.operation != no_operation;
      if (from_operation && from.operation == to.operation) continue;  // the tasks of one send are already in order
      // A receive writes its memory in its last task, so its last task waits. For any other operation the first task waits.
      const std::uint32_t waiting =
          to.kind == Ordering::Kind::receive && from_operation ? tasks[second].finish : tasks[second].start;
      const bool leaves_by_packing =
          from_operation && to_operation && staged_[from.operation] && operation(from.operation).kind == OperationKind::send;
      if (from_operation && from.kind == Ordering::Kind::gate && (to.kind == Ordering::Kind::gate || !leaves_by_packing))
        wait(waiting, tasks[first].message, false);
      else
        wait(waiting, leaves_by_packing ? tasks[first].start : tasks[first].finish);
    }
  }

  IndexRange enter_successors(const std::vector<std::uint32_t>& list) {
    const std::uint32_t first = count(script_.successors);
    script_.successors.insert(script_.successors.end(), list.begin(), list.end());
    return {first, count(script_.successors)};
  }

  // Gives staged messages their places. Rounds with staged messages use `buffers` staging areas in turn. Each of these has room for
  // the largest such round.
  std::vector<Region> staging_areas() {
    std::vector<Region> places(staged_.size());
    std::vector<Bytes> used;
    std::size_t round = no_operation;
    for (std::size_t i = 0; i < staged_.size(); ++i) {
      if (!staged_[i]) continue;
      if (operation(i).round != round) {
        round = operation(i).round;
        used.push_back(0);
        staged_rounds_.emplace_back();
      }
      places[i] = staging_region(used.back(), bytes(graph_.message(program_, i).regions));
      staged_rounds_.back().push_back(i);
    }
    const Bytes largest = used.empty() ? 0 : *std::max_element(used.begin(), used.end());
    const auto area_count = std::min<Count>(options_.buffers, size(used));
    for (std::size_t r = 0; r < staged_rounds_.size(); ++r)
      for (const std::size_t i : staged_rounds_[r])
        places[i].offset += control_bytes_ + static_cast<Count>(r) % area_count * largest;
    script_.staging_bytes = control_bytes_ + largest * area_count;
    return places;
  }

  // Makes a staged message wait until the previous round that uses the same staging area has finished.
  void wait_for_area(std::size_t i) {
    while (staged_rounds_[staged_round_].back() < i) ++staged_round_;
    QUADRILLE_ASSERT(staged_rounds_[staged_round_].front() <= i);
    if (staged_round_ < index(options_.buffers)) return;
    for (const std::size_t other : staged_rounds_[staged_round_ - index(options_.buffers)])
      wait(operation(i).kind == OperationKind::send ? tasks_[i].start : tasks_[i].message, tasks_[other].finish);
  }

  const Program program_;
  const ScriptOptions& options_;
  const DependenceGraph graph_;
  const std::vector<ChannelPlace> places_;  // by operation
  const Bytes control_bytes_;               // bytes for control messages, at the start of staging memory
  std::vector<bool> staged_, overwritten_;  // by operation
  std::vector<std::size_t> fused_;          // the reduction of a fused receive, and vice versa
  std::vector<OperationTasks> tasks_;       // by operation
  std::vector<std::vector<std::uint32_t>> after_start_, after_completion_;  // by task
  std::vector<std::vector<std::size_t>> staged_rounds_;                     // the staged operations of each round that has any
  std::size_t staged_round_ = 0;
  Script script_;
};

}  // namespace

Script make_script(const Program& program, Count ranks, const ScriptOptions& options) {
  check_control_messages(program);
  return ScriptMaker(program, ranks, options).make();
}

}  // namespace quadrille
