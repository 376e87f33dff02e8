// SPDX-License-Identifier: BSD-3-Clause
// Does what src/mpi_face/recording/recorder.cpp does. Its functions cannot be called here, because they need an MPI library.
#include "seeds/written.hpp"

#include <atomic>
#include <optional>

#include "quadrille/error.hpp"
#include "recording/call_log.hpp"
#include "recording/rank_contents.hpp"

namespace quadrille::seeds {
namespace {

class Writer {
 public:
  Writer(const std::string& folder, const RankHistory& history) : folder_(folder), history_(history) {}

  void carry_out(const RecordedStep& step);
  bool is_cut() { return log_ && log_->header().is_cut != 0; }

 private:
  const std::string& folder_;
  const RankHistory& history_;
  std::optional<recording::CallLog> log_;
  std::size_t communicators_ = 0, sites_ = 0;
};

void Writer::carry_out(const RecordedStep& step) {
  using What = RecordedStep::What;
  switch (step.what) {
    case What::make: log_.emplace(folder_, history_.facts, history_.functions, history_.start_ticks); break;
    case What::begin:
    case What::rate: log_->header().ticks_per_second = step.rate; break;
    case What::communicator: log_->define(history_.communicators[communicators_++]); break;
    case What::name: log_->rename(step.number, step.text); break;
    case What::site: log_->define(history_.sites[sites_++]); break;
    case What::sampled: log_->mark_sampled(step.number); break;
    case What::call: log_->add({step.number, step.gap, step.away, step.duration}); break;
    case What::message: {
      recording::LoggedFunction& counted = log_->header().functions[step.number];
      ++counted.calls;
      counted.ticks += step.duration;
      break;
    }
    case What::unseen: std::atomic_ref(log_->header().unseen_calls).fetch_add(1, std::memory_order_relaxed); break;
    case What::wall_time: log_->header().uses_wall_time = 1; break;
    case What::end: log_->header().end_ticks = history_.start_ticks + step.duration; break;
    case What::close: log_->close(); break;
    case What::fold: recording::fold_rank(recording::recording_path(folder_, history_.facts.rank)); break;
  }
}

}  // namespace

std::string write_rank(const std::string& folder, const RankHistory& history, Watch& watch) try {
  Writer writer(folder, history);
  bool was_cut = false;
  for (std::size_t i = 0; i < history.steps.size(); ++i) {
    watch.begin(i);
    writer.carry_out(history.steps[i]);
    if (!was_cut && writer.is_cut()) watch.note_cut(i), was_cut = true;
  }
  watch.begin(history.steps.size());
  return {};
} catch (const Error& error) {
  return error.what();
}

}  // namespace quadrille::seeds
