// SPDX-License-Identifier: BSD-3-Clause
// Answers the questions of the page on which readers write schedules (viewer/src/write). It is compiled to WebAssembly for the
// page, and natively for the test that compares both.
#pragma once

#include <string>
#include <string_view>

namespace quadrille {

// Question and answer are JSON objects. A question has the text of a schedule in "schedule", in either form.
//   {"ask": "prove"}  gives "ranks" and "problem" and, of a right schedule, its figures: "c1", "c2", and "c1_bound" and "c2_bound"
//                     where bounds are known. Of a wrong one it gives "findings", their number, "cause", a sentence, and the place
//                     of the first cause where there is one: "round", "rank", and "block", which is an origin, the offset in its
//                     input, and bytes.
//   {"ask": "show"}   gives "page", the data of a page that shows the schedule (docs/viewer.md).
//   {"ask": "race", "machine": TEXT}  gives "model", and "times", a list of names, seconds and figures, the fastest first: of the
//                     schedule, which is named "yours", and of the table's algorithms for its problem. TEXT is a machine file.
// If there is no answer, "error" says why.
std::string answer(std::string_view question);

}  // namespace quadrille
