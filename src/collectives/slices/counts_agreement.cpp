// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/slices/counts_agreement.hpp"

#include <algorithm>

#include "collectives/slices/slice_code.hpp"
#include "quadrille/indexed.hpp"
#include "quadrille/traffic.hpp"

namespace quadrille {

Bytes counts_code_bytes(const std::vector<Share>& row) {
  Bytes bytes = number_code_bytes(row.size());
  Rank before = 0;
  for (const Share& share : row) {
    bytes += number_code_bytes(static_cast<std::uint64_t>(share.peer - before)) +
             number_code_bytes(static_cast<std::uint64_t>(share.bytes));
    before = share.peer;
  }
  return bytes;
}

CountsAgreement::CountsAgreement(const Problem& problem) : ranks_(problem.ranks), ends_{0} {
  const Traffic traffic(problem);
  for (Rank from = 0; from < ranks_; ++from) ends_.push_back(ends_.back() + counts_code_bytes(traffic.sent_by(from)));
}

Bytes CountsAgreement::bytes(Rank last, Count rows) const {
  const auto before = [&](Rank rank) { return ends_[index(rank)]; };
  const Rank first = last + 1 - rows;
  if (first >= 0) return before(last + 1) - before(first);
  return before(last + 1) + before(ranks_) - before(first + ranks_);
}

void CountsAgreement::add_to(ProgramBuilder& program, Rank me) const {
  if (ranks_ == 1) return;
  program.stage("agree on counts");
  for (Count known = 1; known < ranks_; known *= 2) {
    program.begin_round();
    const Count rows = std::min(known, ranks_ - known);
    const Rank from = (me + ranks_ - known) % ranks_;
    program.control_send((me + known) % ranks_, bytes(me, rows));
    program.control_receive(from, bytes(from, rows));
  }
}

bool has_headers(const Parameters& parameters) { return word(parameters, "counts") == "headers"; }

Parameter counts_parameter() {
  return {.name = "counts",
          .summary =
              "how ranks know what others send: gathered in each run, in a header of each message, or known from an earlier run "
              "with the same counts",
          .standard = "gathered",
          .choices = {"gathered", "headers", "known"},
          // A plan keeps its counts. So if all ranks know all counts, no agreement is needed in each execution. If
          // ranks know only their own counts, headers carry the others.
          .worth_trying = [](const Problem&, const Parameters&) -> std::vector<ParameterValue> {
            return {"known", "headers"};
          }};
}

}  // namespace quadrille
