// SPDX-License-Identifier: BSD-3-Clause
#include "execute/shared/planned/elastic_connection.hpp"

#include "execute/transport.hpp"

namespace quadrille {

ElasticConnection::ElasticConnection(const SendAreaLayout& layout, const Connection& connection, Bytes capacity)
    : sent_(layout.copies, capacity), received_(connection.copies, capacity), lent_(layout.lent) {
  for (std::uint32_t i = 0; i < connection.receives.size(); ++i) {
    if (layout.postings[i].is_send) continue;
    const Connection::Receive& receive = connection.receives[i];
    receives_.push_back({i, static_cast<std::uint32_t>(of_byte(receive.length, capacity)),
                         of_byte(receive.payload - receive.first_payload, capacity), of_byte(receive.target, capacity)});
  }
  for (auto& [first, last] : lent_) first = of_byte(first, capacity), last = of_byte(last, capacity);
}

void ElasticConnection::scale(SendAreaLayout& layout, Connection& connection, Bytes block_bytes) const {
  sent_.scale(layout.copies, block_bytes);
  received_.scale(connection.copies, block_bytes);
  for (const OfByte& each : receives_) {
    Connection::Receive& receive = connection.receives[each.message];
    receive.payload = receive.first_payload + each.payload * block_bytes;
    receive.target = each.target * block_bytes;
    receive.length = each.length * static_cast<std::uint32_t>(block_bytes);
  }
  for (std::size_t buffer = 0; buffer < lent_.size(); ++buffer) {
    const auto& [first, last] = lent_.data()[buffer];
    layout.lent.data()[buffer] = {first * block_bytes, last * block_bytes};
  }
}

Bytes ElasticConnection::memory_bytes() const {
  return sent_.memory_bytes() + received_.memory_bytes() + memory_bytes_of(receives_);
}

}  // namespace quadrille
