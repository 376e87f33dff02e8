// SPDX-License-Identifier: BSD-3-Clause
#include "execute/script/incremental.hpp"

#include <algorithm>
#include <cstdint>

#include "execute/script/run.hpp"

namespace quadrille {
namespace {

using HeaderLength = std::uint64_t;

void copy_regions(const Regions& source, const Bases& source_bases, const Regions& target, const Bases& target_bases,
                  std::vector<StridedCopy>& room) {
  room.clear();
  append_copies(room, source, target);
  for (const StridedCopy& copy : room) run_copy(copy, source_bases, target_bases);
}

Regions whole(Bytes length) { return {{Buffer::staging, 0, length, {}}}; }

}  // namespace

IncrementalExecutable::IncrementalExecutable(std::unique_ptr<Mail> mail, Make make, Policy policy, BoundMemory memory)
    : mail_(std::move(mail)),
      make_(std::move(make)),
      policy_(policy),
      memory_(std::move(memory)),
      saved_(index(bytes(memory_.saved))) {}

void IncrementalExecutable::execute(const Arguments& arguments, Phases* phases) {
  execute_and_tell(arguments.input, arguments.output, phases);
}

Bytes IncrementalExecutable::memory_bytes() const {
  Bytes bytes = memory_bytes_of(scratch_, arrival_, saved_, letters_, copies_);
  for (const std::vector<std::byte>& letter : letters_) bytes += memory_bytes_of(letter);
  return bytes;
}

Program IncrementalExecutable::execute_and_tell(const std::byte* input, std::byte* output, Phases* phases) {
  Watch watch(phases);
  bases_[Buffer::input] = const_cast<std::byte*>(input);  // never written
  bases_[Buffer::output] = output;
  bases_[Buffer::scratch] = scratch_.data();
  if (!saved_.empty()) {
    Bases bases{};
    bases[Buffer::staging] = saved_.data();
    copy_regions(memory_.saved, bases_, whole(static_cast<Bytes>(saved_.size())), bases, copies_);
    bases_[Buffer::input] = saved_.data();
  }
  const std::unique_ptr<IncrementalProgram> program = make_();
  while (const std::vector<IncrementalRound>* rounds = program->next_stage()) {
    if (letters_.size() < rounds->size()) letters_.resize(rounds->size());
    const bool together = policy_ != Policy::blocking;
    for (std::size_t i = 0; together && i < rounds->size(); ++i) send((*rounds)[i], i);
    watch.ends(&Phases::distribute_s);
    for (std::size_t i = 0; i < rounds->size(); ++i) {
      const IncrementalRound& round = (*rounds)[i];
      if (!together) send(round, i);
      make_room(round.copy_target);
      copy_regions(placed(round.copy_source), bases_, placed(round.copy_target), bases_, copies_);
      watch.ends(&Phases::distribute_s);
      if (round.from) receive(*program, *round.from);
      if (!together) mail_->finish_sends();
      watch.ends(&Phases::communicate_s);
    }
    mail_->finish_sends();
    watch.ends(&Phases::communicate_s);
  }
  return program->finish();
}

// Grows scratch memory as needed, because its size is known only at the end of the run.
void IncrementalExecutable::make_room(const Regions& regions) {
  Bytes end = 0;
  for (const Region& region : regions)
    if (region.buffer == Buffer::scratch) end = std::max(end, hull(region).second);
  if (scratch_.size() < index(end)) scratch_.resize(index(end));
  bases_[Buffer::scratch] = scratch_.data();
}

void IncrementalExecutable::send(const IncrementalRound& round, std::size_t number) {
  if (!round.to) return;
  std::vector<std::byte>& letter = letters_[number];
  const Bytes payload = bytes(round.read);
  const HeaderLength header = round.header.size();
  letter.resize(index(payload) + round.header.size() + sizeof header);
  Bases bases{};
  bases[Buffer::staging] = letter.data();
  if (payload > 0) copy_regions(placed(round.read), bases_, whole(payload), bases, copies_);
  std::memcpy(letter.data() + payload, round.header.data(), round.header.size());
  std::memcpy(letter.data() + payload + header, &header, sizeof header);
  mail_->send(*round.to, letter);
}

void IncrementalExecutable::receive(IncrementalProgram& program, Rank from) {
  const Bytes length = mail_->wait_for(from);
  const std::optional<Bytes> place = program.next_place();
  std::vector<std::byte>& memory = place ? scratch_ : arrival_;
  const auto first = index(place.value_or(0));
  if (memory.size() < first + index(length)) memory.resize(first + index(length));
  bases_[Buffer::scratch] = scratch_.data();
  std::byte* letter = memory.data() + first;
  mail_->receive(letter);

  HeaderLength header = 0;
  const auto without_length =
      static_cast<std::uint64_t>(length) - sizeof header;  // wraps if the message is too short; checked below
  if (length >= static_cast<Bytes>(sizeof header)) std::memcpy(&header, letter + without_length, sizeof header);
  if (length < static_cast<Bytes>(sizeof header) || header > without_length)
    throw Error(ErrorCode::malformed, "a message is cut off, or it has no header");
  const Bytes payload = static_cast<Bytes>(without_length - header);
  const auto* code = reinterpret_cast<const std::uint8_t*>(letter + payload);
  const Regions target = program.arrived(from, {code, static_cast<std::size_t>(header)}, payload);
  if (place || payload == 0) return;
  make_room(target);
  Bases bases{};
  bases[Buffer::staging] = letter;
  copy_regions(whole(payload), bases, placed(target), bases_, copies_);
}

}  // namespace quadrille
