// SPDX-License-Identifier: BSD-3-Clause
// Mail between threads: the letters are copied, and wait at the receiver.
#pragma once

#include "execute/mail.hpp"
#include "execute/threads/group.hpp"

namespace quadrille {

class ThreadMail : public Mail {
 public:
  ThreadMail(ThreadGroup& group, Rank rank) : group_(group), rank_(rank) {}

  void send(Rank to, std::span<const std::byte> bytes) override {
    Inbox& inbox = group_.inboxes[static_cast<std::size_t>(to)];
    const std::scoped_lock lock(inbox.mutex);
    inbox.letters[rank_].emplace_back(bytes.begin(), bytes.end());
  }

  void finish_sends() override {}

  Bytes wait_for(Rank from) override {
    Inbox& inbox = group_.inboxes[static_cast<std::size_t>(rank_)];
    group_.wait_until([&] {
      const std::scoped_lock lock(inbox.mutex);
      std::deque<std::vector<std::byte>>& letters = inbox.letters[from];
      if (letters.empty()) return false;
      letter_ = std::move(letters.front());
      letters.pop_front();
      return true;
    });
    return static_cast<Bytes>(letter_.size());
  }

  void receive(std::byte* into) override { std::copy(letter_.begin(), letter_.end(), into); }

 private:
  ThreadGroup& group_;
  Rank rank_;
  std::vector<std::byte> letter_;  // the one waited for
};

}  // namespace quadrille
