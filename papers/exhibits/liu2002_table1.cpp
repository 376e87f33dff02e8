// SPDX-License-Identifier: BSD-3-Clause
// The communication features of the platforms. All prices of this paper's exhibits are computed from them.
#include <fmt/format.h>

#include "papers/exhibit.hpp"
#include "papers/machines.hpp"

namespace quadrille::papers {
namespace {

Reproduction make_liu2002_table1(const Making&) {
  Reproduction made;
  struct Row {
    const char* name;
    double startup_us, us_per_byte;
  };
  Sheet sheet{.columns = {"platform", "start-up (µs)", "t_c + t_d (µs/byte)", "ratio (bytes)", "a message of 1 KiB (µs)"}};
  double least = 1e300, most = 0;
  for (const auto& [name, startup_us, us_per_byte] :
       {Row{"cm5", 85, 0.12}, Row{"sp2", 44, 0.035}, Row{"t3d", 38, 0.043}, Row{"t3e", 28, 0.006}, Row{"myrinet", 68, 0.027}}) {
    const MachineCosts machine = machine_of_paper(name);
    const Workload one = workload(make_schedule(problem_of(Collective::broadcast, 2, 1024), "binomial"));
    const Price message = price_of(one, *find_model("flat"), machine);
    const double start = message.terms.at(0).seconds * 1e6, byte = message.terms.at(1).seconds * 1e6 / 1024;
    sheet.rows.push_back({machine.description, start, byte, start / byte, message.blocking_s * 1e6});
    made.equal(fmt::format("{}: T_s of our machine file, in µs; the column of the table is headed T_d", machine.description),
               startup_us, start, "table 1");
    made.equal(fmt::format("{}: t_c + t_d of our machine file, in µs/byte", machine.description), us_per_byte, byte, "table 1");
    least = std::min(least, start / byte);
    most = std::max(most, start / byte);
  }
  made.at_least("smallest T_s / (t_c + t_d), \"in the range of 1000\": above a third of 1000", 1000.0 / 3, least, "section 5")
      .is_reading = true;
  Comparison& largest =
      made.at_most("largest T_s / (t_c + t_d), \"in the range of 1000\": below three times 1000", 3000, most, "section 5");
  largest.is_reading = true;
  largest.found(Outcome::retyped, 28 / 0.006, "by table 1 the T3E's time per byte is that short compared with its start-up");
  made.sheets.push_back(std::move(sheet));
  return made;
}

}  // namespace

extern const Exhibit liu2002_table1{
    .id = "liu2002-table1",
    .title = "Communication features of the platforms",
    .source = "liu2002, table 1 and section 5",
    .about = "a message of 1 KiB, priced on each machine by the flat model",
    .make = make_liu2002_table1,
};

}  // namespace quadrille::papers
