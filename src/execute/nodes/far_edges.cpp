// SPDX-License-Identifier: BSD-3-Clause
#include "execute/nodes/far_edges.hpp"

#include <algorithm>

#include "execute/transport.hpp"

namespace quadrille {

template <class Message>
void FarQueue::Queue<Message>::clear() {
  messages.clear(), order.clear();
  next = is_known = 0;
  bytes = 0;
  beside = 0;
}

// Messages that are added later come later in the order of all messages.
template <class Message>
void FarQueue::Queue<Message>::make_known(const MessageWindow& rule, Count open) {
  const auto waiting = static_cast<Count>(order.size() - next);
  if (waiting == 0) return;
  window = rule.under_way(waiting, bytes);
  if (open + waiting > window + beside) std::sort(order.begin() + static_cast<std::ptrdiff_t>(is_known), order.end());
  is_known = order.size();
}

void FarQueue::clear() {
  sends_.clear();
  receives_.clear();
}

void FarQueue::start() {
  receives_.make_known(window_, far_->open_receives());
  sends_.make_known(window_, far_->open_sends());
  start_some();
}

bool FarQueue::start_some() {
  const std::size_t before = receives_.next + sends_.next;
  while (!receives_.is_empty() && far_->open_receives() < receives_.window + receives_.beside) start(receives_.take());
  while (!sends_.is_empty() && far_->open_sends() < sends_.window + sends_.beside) start(sends_.take());
  return receives_.next + sends_.next != before;
}

std::span<const FarEdges::Arrival> FarQueue::advance() {
  const auto arrivals = far_->advance();
  has_gone_on_ = (!receives_.is_empty() || !sends_.is_empty()) && start_some();
  return arrivals;
}

void FarQueue::list_open(std::vector<std::uint32_t>& names) const {
  far_->list_open(names);
  for (std::size_t at = receives_.next; at < receives_.order.size(); ++at) names.push_back(receives_.at(at).name);
}

bool FarQueue::start_all_receives() {
  if (receives_.is_empty()) return false;
  while (!receives_.is_empty()) start(receives_.take());
  return true;
}

Bytes FarQueue::memory_bytes() const {
  return far_->memory_bytes() + memory_bytes_of(sends_.messages, receives_.messages, sends_.order, receives_.order);
}

}  // namespace quadrille
