// SPDX-License-Identifier: BSD-3-Clause
// Mail in shared memory: the sender lays the letter open and waits until it has been taken. Between two ranks one letter is under
// way at a time.
#pragma once

#include <utility>
#include <vector>

#include "execute/mail.hpp"
#include "execute/shared/space.hpp"
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
  using Box = std::atomic<Offset>;  // where the letter is, 0 while there is none; it is the sender's, and emptied by the receiver

  Box& box(Rank from, Rank to) const;

  SharedSpace& space_;
  ByRank<Offset> boxes_;                          // of each sender, one for each receiver
  std::vector<std::pair<Rank, Offset>> letters_;  // of this rank, not yet known to have been taken
  Rank from_ = 0;                                 // of the letter waited for
};

}  // namespace quadrille
