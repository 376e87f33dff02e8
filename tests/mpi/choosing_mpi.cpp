// SPDX-License-Identifier: BSD-3-Clause
// Plans that choose their algorithm, among processes with different knowledge: each has a wisdom file of its own. All ranks must
// choose what rank 0's wisdom says, or all must throw. Usage, under any launcher: choosing_mpi
#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>

#include "execute/agreement.hpp"
#include "execute/transport.hpp"
#include "plan/gathered.hpp"
#include "quadrille/decision.hpp"
#include "quadrille/groups.hpp"
#include "quadrille/traffic.hpp"
#include "support/judge.hpp"

namespace quadrille::testing {
namespace {

constexpr Bytes known = 8, vendors = 1024, measured = 65536,
                unknown = 1 << 20;  // block sizes; a record applies up to four times its size

// A folder for this rank's wisdom; the destructor removes it.
class OwnWisdom {
 public:
  OwnWisdom() {
    std::string name = (std::filesystem::temp_directory_path() / "quadrille.XXXXXX").string();
    if (!::mkdtemp(name.data())) throw std::runtime_error("there is no temporary folder");
    place_ = name;
    ::setenv("QUADRILLE_WISDOM", file().c_str(), 1);
  }
  ~OwnWisdom() { std::filesystem::remove_all(place_); }
  std::string file() const { return (place_ / "wisdom").string(); }

 private:
  std::filesystem::path place_;
};

class Choices {
 public:
  explicit Choices(Communicator& ranks) : ranks_(ranks), me_(ranks.rank()), p_(ranks.size()) {}

  void all() {
    const Fingerprint machine = fingerprint(ranks_);
    Wisdom wisdom{.machine = machine};
    wisdom.add(record(known, me_ == 0 ? "bruck:radix=2" : "ring"));
    if (has_vendor()) wisdom.add(record(vendors, "vendor"));
    save_wisdom(wisdom_.file(), wisdom);

    const Plan first = right_plan(known, {});
    expect(first.algorithm().starts_with("bruck"), "it runs " + first.algorithm());
    expect(first.decision() && first.decision()->source == Source::wisdom, "wisdom did not decide");
    expect(!right_plan(unknown, {}).decision()->reason.empty(), "no reason is given");
    vendor_refused_by_one_rank();
    one_rank_has_forgotten();
    measuring(machine);
    own_counts();
    if (p_ > 1) different_requests();
  }

 private:
  void expect(bool condition, const std::string& otherwise) const {
    if (!condition) throw std::runtime_error(otherwise);
  }

  bool has_vendor() const { return ranks_.transport().executor() == Executor::mpi; }

  // A record of wisdom that is the same on all ranks.
  WisdomRecord record(Bytes block_bytes, const std::string& algorithm) const {
    Problem problem = Problem::alltoall(p_, block_bytes);
    problem.nodes = ranks_.nodes();
    const Executor preferred = ranks_.transport().offered().front()->executor();
    WisdomRecord made{.situation = situation_of(problem), .date = "2026-11-23", .repetitions = 9};
    const Candidate candidate = parse_candidate(problem, algorithm);
    made.entries.push_back({.way = {.algorithm = candidate, .executor = is_vendor(candidate) ? Executor::mpi : preferred},
                            .timing = {1e-6, 1e-6, 1e-6}});
    return made;
  }

  // Makes a plan, executes it with checked data, and checks that all ranks have the same algorithm.
  Plan right_plan(const Problem& problem, const PlanOptions& options) {
    Plan made = plan(ranks_, problem, options);
    if (options.layouts.input.empty()) {
      const auto data = probe_data(problem, me_);
      ByteVector input(static_cast<std::size_t>(input_bytes(problem, me_))),
          output(static_cast<std::size_t>(output_bytes(problem, me_)));
      data->fill_input(0, input.data());
      made.execute(input.data(), output.data());
      expect(data->compare_output(0, output.data()).empty(), "wrong data by " + made.algorithm());
    }
    const std::string first = told_by(ranks_, 0, made.algorithm());
    expect(first == made.algorithm(), fmt::format("rank 0 runs {}, this one {}", first, made.algorithm()));
    return made;
  }
  Plan right_plan(Bytes block_bytes, const PlanOptions& options) { return right_plan(Problem::alltoall(p_, block_bytes), options); }

  // Layouts may differ between ranks, so a layout that the vendor cannot use on one rank must not make ranks run different
  // collectives.
  void vendor_refused_by_one_rank() {
    if (!has_vendor()) return;
    expect(right_plan(vendors, {}).algorithm() == "vendor", "the vendor's collective was measured to be the best");
    const Bytes bytes = p_ * vendors;
    PlanOptions options;
    if (me_ == p_ - 1) options.layouts = {.input = {{.offset = 8, .length = bytes}}, .output = {{.offset = 0, .length = bytes}}};
    Plan made = plan(ranks_, Problem::alltoall(p_, vendors), options);
    const std::string first = told_by(ranks_, 0, made.algorithm());
    expect(first == made.algorithm() && first != "vendor", "rank 0 runs " + first + ", this one " + made.algorithm());
    ByteVector input(static_cast<std::size_t>(bytes + 8), std::byte{7}), output(static_cast<std::size_t>(bytes));
    made.execute(input.data(), output.data());
    expect(output.back() == std::byte{7}, "wrong data");
  }

  void one_rank_has_forgotten() {
    if (me_ == p_ - 1) forget_wisdom();
    expect(right_plan(known, {}).algorithm().starts_with("bruck"), "what one rank has forgotten was not handed to it");
  }

  void measuring(const Fingerprint& machine) {
    const Plan raced = right_plan(measured, {.effort = Effort::measure});
    expect(raced.decision()->source == Source::wisdom, "nothing was measured");
    expect(right_plan(measured, {.effort = Effort::wisdom_only}).algorithm() == raced.algorithm(),
           "another choice by the same wisdom");
    const Wisdom file = read_wisdom(wisdom_.file(), machine);
    expect((file.find(raced.decision()->situation) != nullptr) == (me_ == 0), "rank 0 saves what was measured, and nobody else");
    expect_misuse({.effort = Effort::wisdom_only}, unknown, "");
  }

  // Each rank knows only its own send and receive counts.
  void own_counts() {
    std::vector<Bytes> counts(static_cast<std::size_t>(p_ * p_));
    const auto bytes = [](Rank from, Rank to) { return 16 * (from + 1) + to; };
    for (Rank other = 0; other < p_; ++other) {
      counts[static_cast<std::size_t>(me_ * p_ + other)] = bytes(me_, other);
      counts[static_cast<std::size_t>(other * p_ + me_)] = bytes(other, me_);
    }
    Plan made = plan(ranks_, Problem::alltoallv(p_, counts));
    expect(made.decision()->situation.counts_known == (p_ == 1), "what is known of counts");
    ByteVector input(static_cast<std::size_t>(p_ * bytes(me_, p_))), output(static_cast<std::size_t>(p_ * bytes(p_, p_)));
    made.execute(input.data(), output.data());
  }

  void expect_misuse(const PlanOptions& options, Bytes block_bytes, const std::string& word) {
    try {
      plan(ranks_, Problem::alltoall(p_, block_bytes), options);
    } catch (const Error& error) {
      expect(error.code() == ErrorCode::misuse, error.what());
      expect(std::string(error.what()).find(word) != std::string::npos, error.what());
      return;
    }
    throw std::runtime_error("a plan that must be refused was made");
  }

  // Ranks ask for different plans: all of them must throw.
  void different_requests() {
    const bool last = me_ == p_ - 1;
    expect_misuse({}, last ? known : unknown, "the sizes of");
    expect_misuse({.effort = last ? Effort::measure : Effort::estimate}, unknown, "effort");
    PlanOptions named;
    if (last) named.algorithm = "shift";
    expect_misuse(named, known, "algorithm");
    if (last) forget_wisdom();
    expect_misuse(named, known, "algorithm");
    expect(right_plan(known, {}).algorithm().starts_with("bruck"), "after refusals");
  }

  Communicator& ranks_;
  const Rank me_;
  const Count p_;
  OwnWisdom wisdom_;
};

}  // namespace
}  // namespace quadrille::testing

int main() {
  using namespace quadrille;
  std::unique_ptr<Communicator> ranks;
  try {
    ranks = launched_world();
    testing::Choices(*ranks).all();
    ranks->barrier();
    if (ranks->rank() == 0) std::printf("%lld ranks choose alike\n", static_cast<long long>(ranks->size()));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    if (ranks) ranks->abort(1);  // the others may be waiting
    return 1;
  }
}
