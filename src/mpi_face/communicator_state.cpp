// SPDX-License-Identifier: BSD-3-Clause
#include "mpi_face/communicator_state.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "mpi_face/operation.hpp"
#include "mpi_face/settings.hpp"
#include "mpi_face/ticks.hpp"
#include "plan/choosing.hpp"
#include "plan/gathered.hpp"
#include "quadrille/decision.hpp"
#include "quadrille/mpi.hpp"

namespace quadrille::mpi_face {
namespace {

constexpr std::size_t most_sites = 4096;
constexpr Bytes longest_block = Bytes{1} << 30;
constexpr std::size_t samples_of_trial = 3, most_samples = 15;

std::uint64_t hash_of(const Key& key) {
  std::uint64_t hash = static_cast<std::uint64_t>(key.function);
  for (const std::uint64_t field : {static_cast<std::uint64_t>(key.block_bytes), static_cast<std::uint64_t>(key.element),
                                    reinterpret_cast<std::uint64_t>(key.operation)})
    hash = (hash ^ field) * 0x9E3779B97F4A7C15u;
  return hash ^ hash >> 32;
}

bool overlap(const void* a, Bytes a_bytes, const void* b, Bytes b_bytes) {
  const auto first = reinterpret_cast<std::uintptr_t>(a), second = reinterpret_cast<std::uintptr_t>(b);
  return first < second + static_cast<std::uintptr_t>(b_bytes) && second < first + static_cast<std::uintptr_t>(a_bytes);
}

Problem problem_of(const Shape& shape, const Key& key, Count ranks) {
  Problem problem{.collective = shape.collective, .ranks = ranks, .block_bytes = shape.block_bytes};
  if (key.operation) {
    problem.element_bytes = key.operation->element_bytes;
    // Sums of floating-point numbers are to be the same on all ranks, and the same whatever algorithm runs.
    problem.reproducible = !shape.output.facts.element.is_exact;
  }
  return problem;
}

void grow(std::vector<std::byte>& buffer, Bytes bytes) {
  if (static_cast<Bytes>(buffer.size()) < bytes) buffer.resize(static_cast<std::size_t>(bytes));
}

}  // namespace

CommunicatorState::CommunicatorState(MPI_Comm communicator) : communicator_(communicator) {
  int is_inter = 0, rank = 0, ranks = 1;
  if (PMPI_Comm_test_inter(communicator, &is_inter) != MPI_SUCCESS || is_inter ||
      PMPI_Comm_rank(communicator, &rank) != MPI_SUCCESS || PMPI_Comm_size(communicator, &ranks) != MPI_SUCCESS)
    return;
  rank_ = rank, ranks_ = ranks;
  is_ours_ = ranks > 1;
}

int CommunicatorState::run(const MpiCall& call, VendorCall vendor) {
  if (!is_ours_) return vendor();
  switch (call.function) {
    case Function::Barrier:
    case Function::Allreduce:
    case Function::Reduce_scatter_block:
    case Function::Allgather:
    case Function::Alltoall: return run_planned(call, vendor);
    case Function::Alltoallv: return run_irregular(call, vendor);
    default: return vendor();
  }
}

// All ranks take the same path, because the key holds only values that MPI requires to be equal on all ranks. Calls with wrong
// arguments are passed to the MPI library, which reports the error.
int CommunicatorState::run_planned(const MpiCall& call, VendorCall vendor) {
  const std::optional<Shape> shape = shape_of(call, rank_, ranks_);
  if (!shape || shape->block_bytes > longest_block) return vendor();
  const bool moves_nothing = shape->block_bytes == 0 && call.function != Function::Barrier;
  if (moves_nothing) return vendor();
  Key key{.function = call.function, .block_bytes = shape->block_bytes};
  if (is_reduction(shape->collective)) {
    key.element = shape->output.facts.element.number;
    key.operation = operation_of(call.operation, shape->output.facts.element).get();
    if (!key.operation) return vendor();
  }
  const auto moved = shape->input.bytes() + shape->output.bytes();
  Site* site = last_ && last_->key == key ? last_ : site_of(key, call_of_plan(ranks_, moved));
  if (!site) return vendor();
  last_ = site;
  if (++site->calls == site->next_event) [[unlikely]]
    return at_event(*site, *shape, vendor);
  return site->mode == Site::Mode::ours ? execute(*site, *shape, {}) : vendor();
}

Site* CommunicatorState::site_of(const Key& key, std::uint64_t first_event) {
  const std::uint64_t hash = hash_of(key);
  const auto [first, last] = sites_.equal_range(hash);
  for (auto found = first; found != last; ++found)
    if (found->second->key == key) return found->second.get();
  if (sites_.size() == most_sites) return nullptr;
  auto made = std::make_unique<Site>();
  made->key = key;
  made->next_event = first_event;
  return sites_.emplace(hash, std::move(made))->second.get();
}

int CommunicatorState::at_event(Site& site, const Shape& shape, VendorCall vendor) {
  if (site.mode == Site::Mode::counting) {
    admit(site, shape);
    return site.mode == Site::Mode::ours ? execute(site, shape, {}) : vendor();
  }
  const int code = with_both_timed(
      site, shape.in_place, [&] { return save_input(shape); }, [&](Ours how) { return execute(site, shape, how); }, vendor);
  judge(site);
  return code;
}

void CommunicatorState::judge(Site& site) {
  const bool is_tried = site.ratios.size() >= samples_of_trial;
  if (is_tried && has_lost(site)) {
    site.why = "it was not faster here";
    site.mode = Site::Mode::vendor;
    site.plan.reset();
    site.next_event = Site::never;
  } else if (!is_tried) {
    site.next_event = site.calls + 1;
  } else {
    site.mode = Site::Mode::ours;
    site.next_event = std::bit_ceil(site.calls + 1);
  }
}

void CommunicatorState::begin_trial(Site& site) {
  const bool at_once = Settings::get().admits_at_once;
  site.mode = at_once ? Site::Mode::ours : Site::Mode::trial;
  site.next_event = at_once ? Site::never : site.calls + 1;
}

// Collective: `make` runs with the group, which is made if there is none. What fails, fails on all ranks; then the site stays the
// MPI library's.
bool CommunicatorState::with_group(Site& site, const std::function<void(Communicator&)>& make) {
  site.mode = Site::Mode::vendor;
  site.next_event = Site::never;
  site.why = no_group_;
  if (!no_group_.empty()) return false;
  try {
    if (!group_) group_ = over(communicator_);
  } catch (const std::exception& error) {
    no_group_ = site.why = error.what();
    return false;
  }
  try {
    make(*group_);
    return true;
  } catch (const std::exception& error) {
    site.why = error.what();
    return false;
  }
}

void CommunicatorState::admit(Site& site, const Shape& shape) {
  bool is_made = false;
  with_group(site, [&](Communicator& group) {
    const Problem problem = problem_of(shape, site.key, ranks_);
    PlanOptions options;
    if (site.key.operation) options.operation = {std::shared_ptr<const void>(), site.key.operation};
    Chosen chosen = choose(group, problem, options);
    if (chosen.is_vendor() && Settings::get().admits_at_once) {
      options.algorithm = "";  // the default algorithm
      chosen.options = options;
    } else if (chosen.is_vendor()) {
      site.why = chosen.decision->reason;
      return;
    }
    site.plan.emplace(plan(group, problem, chosen.options));
    is_made = true;
  });
  if (is_made) begin_trial(site);
}

// Runs the call by the MPI library and by ours, and times both, each after a barrier. In a trial the caller gets the MPI library's
// result, later ours.
int CommunicatorState::with_both_timed(Site& site, bool in_place, const std::function<int()>& save,
                                       const std::function<int(Ours)>& ours, VendorCall vendor) {
  const bool is_trial = site.mode == Site::Mode::trial;
  const bool saves = in_place && !is_trial;
  struct Times {
    double ours = 0, vendors = 0;
  } times;
  int code = saves ? save() : MPI_SUCCESS;
  const auto timed = [&](double& time, const auto& work) {
    group_->barrier();
    const std::uint64_t start = ticks();
    const int said = work();
    time = static_cast<double>(ticks() - start);
    if (code == MPI_SUCCESS) code = said;
  };
  try {
    const auto by_ours = [&] { return ours({.saved = saves, .to_scratch = is_trial}); };
    if (is_trial) timed(times.ours, by_ours);
    timed(times.vendors, vendor);
    if (!is_trial) timed(times.ours, by_ours);
    Times most;
    for (const Times& each : gathered(*group_, times)) {
      most.ours = std::max(most.ours, each.ours);
      most.vendors = std::max(most.vendors, each.vendors);
    }
    if (site.ratios.size() == most_samples) site.ratios.erase(site.ratios.begin());
    site.ratios.push_back(most.ours / std::max(most.vendors, 1.0));
  } catch (const std::exception& error) {
    return failed(error);
  }
  return code;
}

int CommunicatorState::save_input(const Shape& shape) {
  grow(input_, shape.input.bytes());
  return pack(shape.input.memory, shape.input.count, shape.input.type, shape.input.facts, input_.data(), communicator_);
}

int CommunicatorState::execute(Site& site, const Shape& shape, Ours how) {
  try {
    const bool output_is_canonical = shape.output.facts.is_plain && !how.to_scratch;
    const bool input_is_canonical = !how.saved && shape.input.facts.is_plain && !shape.in_place &&
                                    !overlap(shape.input.memory, shape.input.bytes(), shape.output.memory, shape.output.bytes());
    if (!input_is_canonical && !how.saved)
      if (const int code = save_input(shape); code != MPI_SUCCESS) return code;
    if (!output_is_canonical) grow(output_, shape.output.bytes());
    auto* const output = output_is_canonical ? static_cast<std::byte*>(shape.output.memory) : output_.data();
    site.plan->execute(input_is_canonical ? shape.input.memory : input_.data(), output);
    if (output_is_canonical || how.to_scratch) return MPI_SUCCESS;
    return unpack(output, shape.output.memory, shape.output.count, shape.output.type, shape.output.facts, communicator_);
  } catch (const std::exception& error) {
    return failed(error);
  }
}

// Once a plan exists, the only causes left are a lost peer and an error in the program.
int CommunicatorState::failed(const std::exception& error) {
  remark(error.what());
  PMPI_Comm_call_errhandler(communicator_, MPI_ERR_OTHER);
  return MPI_ERR_OTHER;
}

}  // namespace quadrille::mpi_face
