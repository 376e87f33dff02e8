// SPDX-License-Identifier: BSD-3-Clause
// Mail (execute/mail.hpp) in shared memory. A letter is one message: its length, then its bytes. The sender allocates a letter in
// the space and stores its offset in a box; there is one box for each ordered pair of ranks. The receiver copies the letter and
// empties the box. So at most one letter is under way from one rank to another; a sender that has a second one waits for the box.
#pragma once

#include <utility>
#include <vector>

#include "execute/mail.hpp"
#include "execute/shared/wait/space.hpp"
#include "quadrille/indexed.hpp"

namespace quadrille {

class SharedMail : public Mail {
 public:
  explicit SharedMail(SharedSpace& space);  // collective
  ~SharedMail() override;

  void send(Rank to, std::span<const std::byte> bytes) override;
  void finish_sends() override;
  Bytes wait_for(Rank from) override;
  void receive(std::byte* into) override;

 private:
  // The offset of the letter, or 0 if there is none. The box lies in the sender's memory; the receiver sets it back to 0.
  using Box = std::atomic<Offset>;

  Box& box(Rank from, Rank to) const;

  SharedSpace& space_;
  ByRank<Offset> boxes_;                          // by sender: the offset of its boxes, one for each receiver
  std::vector<std::pair<Rank, Offset>> letters_;  // sent by this rank and not yet released: receiver and letter
  Rank from_ = 0;                                 // the sender given to the last wait_for
};

}  // namespace quadrille
