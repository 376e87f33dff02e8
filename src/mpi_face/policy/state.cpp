// SPDX-License-Identifier: BSD-3-Clause
// What a rank knows of one communicator, and what all communicators of a process share.
#include <algorithm>

#include "foundation/hash.hpp"
#include "foundation/planted.hpp"
#include "mpi_face/policy/step.hpp"

namespace quadrille::mpi_face {

std::uint64_t State::calls_so_far() const {
  std::uint64_t calls = 0;
  for (const CallKind* const kind : kinds) calls += kind->calls;
  return calls;
}

void State::let_share(CallKind& kind) const {
  if (kind.mode != CallKind::Mode::counting || kind.rule != CallKind::Rule::none || kind.trials.second != 0) return;
  if (is_planted("plan not shared") && rank == 1) return;
  if (wishes && wishes->rules.find(kind.called, kind.key.block_bytes)) return;
  for (CallKind* const owner : kinds)
    if (owner->is_elastic && owner->may_be_ours() && are_of_one_class(owner->key, kind.key)) return kind.share(*owner);
}

std::int32_t State::mates_of(const CallKind& kind) const {
  return static_cast<std::int32_t>(std::count_if(
      kinds.begin(), kinds.end(), [&](const CallKind* other) { return other != &kind && are_of_one_class(other->key, kind.key); }));
}

double State::worth_ticks() const {
  if (!group.why_not.empty() || (!asks_host && calls_so_far() < next_as_guest)) return 0;
  std::uint64_t ticks = 0;
  for (const CallKind* const kind : kinds) {
    const bool is_open = kind->mode == CallKind::Mode::counting && kind->rule != CallKind::Rule::followed;
    const bool is_due = kind->mode == CallKind::Mode::ours && kind->calls >= kind->trials.next;
    const bool is_tried = kind->trial && kind->trial->is_due();
    if (never_synchronises(kind->key.function) && (is_open || is_due || is_tried)) ticks += kind->vendor_times.ticks() + 1;
  }
  return asks_host && ticks > 0 ? asked_for : static_cast<double>(ticks);
}

std::uint64_t DecidingProcess::calls_on_guests() const {
  const Guest& first = waiting.front();
  std::uint64_t hash = 1;
  for (const Guest& guest : guests) {
    if (guest.colour != first.colour) continue;
    hash = hash_with(hash, guest.state == first.state);
    for (const CallKind* const kind : guest.state->kinds)
      hash = hash_with(hash_with(hash, static_cast<std::uint64_t>(kind->key.function)),
                       is_planted("guests not counted") ? 0 : kind->calls);
  }
  return hash;
}

}  // namespace quadrille::mpi_face
