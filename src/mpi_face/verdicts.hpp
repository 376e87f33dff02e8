// SPDX-License-Identifier: BSD-3-Clause
// What trials have found. A verdict also holds for calls of about the same size, and on other communicators whose ranks lie on
// nodes in the same way: a program with a thousand sizes, or with many communicators, should not pay for a thousand trials.
#pragma once

#include <mutex>
#include <optional>
#include <vector>

#include "mpi_face/site.hpp"

namespace quadrille::mpi_face {

struct Verdict {
  bool is_faster = false;
  std::optional<Way> way;  // our fastest way, if is_faster; absent for exchanges
};

class Verdicts {
 public:
  static Verdicts& of_process();

  // `nodes`: of the communicator (Communicator::nodes).
  std::optional<Verdict> find(const Key& key, const std::vector<Count>& nodes);
  void add(const Key& key, const std::vector<Count>& nodes, Verdict verdict);
  // Forgets the verdict, because a later measurement may say otherwise.
  void remove(const Key& key, const std::vector<Count>& nodes);

 private:
  struct Entry {
    Key calls;  // with the largest size of the class
    std::vector<Count> nodes;
    Verdict verdict;
  };
  static constexpr std::size_t most_entries = 1024;

  std::vector<Entry>::iterator found(const Key& key, const std::vector<Count>& nodes);

  std::mutex mutex_;
  std::vector<Entry> entries_;
};

}  // namespace quadrille::mpi_face
