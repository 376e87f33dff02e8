// SPDX-License-Identifier: BSD-3-Clause
// Plans of an alltoallv by an algorithm that needs the counts of all ranks, such as one written in Python. (A rank's own counts are
// enough for the algorithms that an alltoallv takes otherwise.)
#pragma once

#include "quadrille/typed_call.hpp"

namespace quadrille::python {

// Collective. The plan works as that of plan_irregular, but the ranks first gather the counts of all. Not in place. Throws, on all
// ranks, Error{misuse} if counts do not fit each other or the buffers, and the errors of `plan`.
Plan plan_with_all_counts(Communicator& group, const IrregularCall& call, PlanOptions options);

}  // namespace quadrille::python
