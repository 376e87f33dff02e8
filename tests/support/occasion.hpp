// SPDX-License-Identifier: BSD-3-Clause
// Random plans with checked data, executed one after the other or several at a time.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "execute/executions/execution.hpp"
#include "quadrille/execute.hpp"
#include "support/cases.hpp"
#include "support/judge.hpp"

namespace quadrille::testing {

// A plan for a random collective, size, algorithm and policy, with data for it. All ranks draw the same.
class Drawn {
 public:
  // If `by_vendor`, some plans are the vendor's own collectives. If `keep_step`, some plans keep step, on random nodes if the ranks
  // are on one node.
  Drawn(Communicator& communicator, std::mt19937_64& random, bool by_vendor, bool keep_step = false)
      : communicator_(&communicator) {
    const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
    const auto ranks = static_cast<std::size_t>(communicator.size());
    const auto algorithms = all_algorithms();
    std::optional<Choice> choice;
    Problem problem;
    while (!choice) {
      const Algorithm& algorithm = *algorithms[below(algorithms.size())];
      const Bytes sizes[] = {0, 1, 8, 100, 1024, 5000, 20000, 100000};
      problem = problem_of(algorithm.collective, communicator.size(), sizes[below(std::size(sizes) - (below(4) ? 2 : 0))],
                           static_cast<Rank>(below(ranks)), random());
      if (is_reduction(problem.collective) && below(3) == 0) {  // the order of the operands matters
        problem = with_elements_of(problem, 4);
        problem.commutative = false;
      }
      choice = standard_choice(algorithm, problem);
      if (!applies(problem, *choice)) choice.reset();
    }
    const bool vendor = by_vendor && !is_reduction(problem.collective) && below(8) == 0;  // Open MPI's sums of bytes saturate
    const std::string algorithm(vendor ? "vendor" : choice->algorithm->id);
    name_ = description(problem).substr(0, 100) + ' ' + algorithm;
    const Policy policies[] = {Policy::blocking, Policy::nonblocking, Policy::dataflow};
    const bool keeps_step = keep_step && below(4) == 0;
    if (keeps_step) {
      problem.nodes = communicator.nodes();
      if (std::count(problem.nodes.begin(), problem.nodes.end(), 0) == communicator.size())
        for (Count& node : problem.nodes) node = static_cast<Count>(below(2));
    }
    data_ = probe_data(problem, communicator.rank());
    plan_.emplace(quadrille::plan(communicator, problem,
                                  {.algorithm = algorithm,
                                   .policy = policies[keeps_step ? 0 : below(3)],
                                   .executor = keeps_step || below(8) ? Executor::automatic : Executor::mpi,
                                   .operation = operation_for(problem),
                                   .keep_step = keeps_step}));
    input_bytes_ = input_bytes(problem, communicator.rank());
    output_bytes_ = output_bytes(problem, communicator.rank());
  }

  Plan& plan() { return *plan_; }
  const std::string& name() const { return name_; }
  const ProbeData& data() const { return *data_; }
  std::shared_ptr<std::byte> input(bool shared) const { return memory(input_bytes_, shared); }
  std::shared_ptr<std::byte> output(bool shared) const { return memory(output_bytes_, shared); }

 private:
  std::shared_ptr<std::byte> memory(Bytes bytes, bool shared) const {
    if (shared) return communicator_->allocate(bytes);
    return {static_cast<std::byte*>(std::malloc(static_cast<std::size_t>(std::max<Bytes>(bytes, 1)))), std::free};
  }

  Communicator* communicator_;
  std::string name_;
  std::unique_ptr<ProbeData> data_;
  Bytes input_bytes_ = 0, output_bytes_ = 0;
  std::optional<Plan> plan_;
};

// An execution of a plan with buffers of its own, in private or shared memory.
class Occasion {
 public:
  Occasion(Communicator& communicator, std::mt19937_64& random, bool by_vendor = false)
      : Occasion(std::make_shared<Drawn>(communicator, random, by_vendor), random) {}

  // Uses a plan that other occasions may share.
  Occasion(std::shared_ptr<Drawn> drawn, std::mt19937_64& random)
      : drawn_(std::move(drawn)), input_(drawn_->input(random() % 2 == 0)), output_(drawn_->output(random() % 2 == 0)) {}

  // Executes the plan and returns what is wrong; empty if nothing is.
  std::string run(std::mt19937_64& random) {
    fill(random);
    drawn_->plan().execute(input_.get(), output_.get());
    return fault();
  }

  void begin(std::mt19937_64& random) {
    fill(random);
    request_ = drawn_->plan().start(input_.get(), output_.get());
    in_flight_ = true;
  }
  bool in_flight() const { return in_flight_; }
  Request& request() { return request_; }
  Execution& execution() { return execution_of(drawn_->plan()); }
  std::string end() {
    request_.wait();
    in_flight_ = false;
    return fault();
  }

 private:
  void fill(std::mt19937_64& random) {
    pass_ = static_cast<int>(random() % static_cast<std::uint64_t>(drawn_->data().pass_count()));
    drawn_->data().fill_input(pass_, input_.get());
    drawn_->data().spoil_output(pass_, output_.get());
  }
  std::string fault() const {
    const std::string wrong = drawn_->data().compare_output(pass_, output_.get());
    return wrong.empty() ? wrong : drawn_->name() + ": " + wrong;
  }

  std::shared_ptr<Drawn> drawn_;
  std::shared_ptr<std::byte> input_, output_;  // outlive the request
  Request request_;
  int pass_ = 0;
  bool in_flight_ = false;
};

// Collective. Starts some of the occasions, drawn from `common` in the same order on all ranks. In between, each rank tests or
// completes those in flight in any order, drawn from `own`. Returns what is wrong on this rank.
inline std::string run_in_flight(Communicator& communicator, std::vector<Occasion>& occasions, std::size_t starts,
                                 std::mt19937_64& common, std::mt19937_64& own) {
  std::string wrong;
  const auto end = [&](Occasion& occasion) {
    if (const std::string fault = occasion.end(); wrong.empty()) wrong = fault;
  };
  for (std::size_t start = 0; start < starts; ++start) {
    Occasion& occasion = occasions[common() % occasions.size()];
    if (occasion.in_flight()) end(occasion);
    const auto kind = common() % 8;
    if (kind == 0) communicator.barrier();
    if (kind > 1)
      occasion.begin(common);
    else if (const std::string fault = occasion.run(common); wrong.empty())
      wrong = fault;
    for (auto deeds = own() % 4; deeds > 0; --deeds) {
      Occasion& some = occasions[own() % occasions.size()];
      if (!some.in_flight()) continue;
      if (own() % 4 == 0)
        end(some);
      else
        for (auto looks = own() % 20; looks > 0; --looks) some.request().test();
    }
  }
  std::vector<Occasion*> rest;
  for (Occasion& each : occasions)
    if (each.in_flight()) rest.push_back(&each);
  std::shuffle(rest.begin(), rest.end(), own);
  for (Occasion* each : rest) end(*each);
  return wrong;
}

}  // namespace quadrille::testing
