// SPDX-License-Identifier: BSD-3-Clause
// Exchanges by edges (execute/executions/exchanger.hpp) among ranks that share memory. A message takes one of these ways:
//
//   a tiny message   lies in its slot (pair_slots.hpp);
//   a short message  is copied twice: the sender copies it into its area (Area in sender.hpp) and continues at once, and the
//   receiver
//                    copies it out;
//   a long message   is copied once, by its receiver, from the sender's memory, while the sender waits (a rendezvous). The
//                    receiver loads it if the memory lies in the shared space, and calls process_vm_readv otherwise. Or it goes in
//                    pieces through a double buffer behind the area, if the receiver cannot read it or if that takes less time
//                    (PiecesTrial in sender.hpp).
//
// A message for which no slot, no area or no double buffer is free is sent later in the same exchange, when its receivers have
// finished earlier exchanges. They can do so without this rank, which has completed its part of those; so all ranks go on.
#pragma once

#include <memory>

#include "execute/executions/exchanger.hpp"
#include "execute/shared/unplanned/receiver.hpp"
#include "execute/shared/unplanned/sender.hpp"

namespace quadrille {

class SharedExchange final : public EdgesExecutable {
 public:
  // Collective. Throws on all ranks or on none: Error{too_large} or Error{environment} if memory cannot be allocated.
  SharedExchange(SharedSpace& space, const CopyCosts& costs);
  ~SharedExchange() override;  // local

  Bytes memory_bytes() const override;

 private:
  void start(const Edges& edges) override;
  bool proceed() override;
  void complete() override;
  void end() override;
  void give_up(const Error& why) noexcept override;
  void throw_lost() const override { space_.throw_lost(); }
  void meet();
  void copy_own(const Edges& edges, const Edges::Send* send, const Edges::Receive* receive);
  bool advance_both();
  Bytes moved() const { return sender_.put_bytes() + receiver_.received_bytes(); }
  Rank awaited();

  SharedSpace& space_;
  PairSlots slots_;
  Sender sender_;
  Receiver receiver_;
  Offset own_area_ = 0;  // 0: a rank alone, or not made
  std::uint64_t exchange_ = 0;
  LongSince looks_{SharedSpace::between_questions};
};

}  // namespace quadrille
