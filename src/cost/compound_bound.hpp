// SPDX-License-Identifier: BSD-3-Clause
// The least C2 of an alltoall in a given number of rounds [bruck1997, section 2], and what follows for times.
#pragma once

#include <algorithm>
#include <optional>

#include "quadrille/bound.hpp"

namespace quadrille {

// Theorems 2.5, 2.7 and 2.9 in one integer form. In T rounds, at most C(T, f) k^f destinations can be f hops away. So the p - 1
// blocks of a rank make at least W hops over k ports, where W is the sum of the p - 1 smallest hop counts. Returns nothing if T
// rounds cannot reach p - 1 destinations.
inline std::optional<Fraction> compound_bound(Count p, Count k, Count rounds, Bytes block_bytes) {
  Fraction::Wide left = p - 1, hops = 0, destinations = 1;
  for (Count f = 1; f <= rounds && left > 0; ++f) {
    destinations = destinations * (rounds - f + 1) * k / f;
    const Fraction::Wide taken = std::min(left, destinations);
    hops += taken * f;
    left -= taken;
  }
  if (left > 0) return std::nullopt;
  return Fraction(hops * block_bytes, k);
}

// The bytes that a part of a bound of the time proves for each port: a node divides its traffic among its ports.
inline Fraction bytes_of_port(const Bound& part) {
  return part.figure.starts_with("node_traffic") ? part.exact * Fraction(1, part.certificate.ports) : part.exact;
}

// Returns the time that a certificate of the time proves, if no schedule has fewer rounds, or a smaller C2 and C2 shared.
Fraction least_time(const Problem& problem, const Certificate& certificate, Count rounds, const Fraction& bytes);

}  // namespace quadrille
