// SPDX-License-Identifier: BSD-3-Clause
// What a schedule costs on a machine. A model is a formula; a machine is a file that says what the formula's coefficients are
// there. A schedule's workload is counted once and priced by any model.
//
//   MachineCosts sp1 = find_machine("sp1");
//   Price price = price_of(workload(make_schedule(Problem::alltoall(64, 64), "bruck:radix=8")), *find_model("linear"), sp1);
//   price.blocking_s;  // 1266 us
#pragma once

#include <array>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "quadrille/picoseconds.hpp"
#include "quadrille/result.hpp"
#include "quadrille/schedule.hpp"
#include "quadrille/topology.hpp"

namespace quadrille {

struct MessageTimes;  // simulate.hpp

// What is counted.

// A round as models see it: the most that any rank, node or link has of each. Control messages are messages.
struct RoundFigures {
  Count number = 0;
  Count messages = 0;      // that a rank sends, or receives
  Bytes bytes = 0;         // that a rank sends, or receives
  Bytes longest = 0;       // of a message
  bool both_ways = false;  // does a rank send and receive?
  // On links; control messages other than a barrier's are left out.
  Count turns = 0;       // in which a rank sends its messages, one on each of its links at a time
  Count sharing = 0;     // messages over one directed link
  Bytes link_bytes = 0;  // over one directed link
  Link busiest_link;     // that `sharing` messages go over; none where that is 0
  // Between nodes, whose ports work both ways at once: what a node's ranks send to other nodes, or receive, whichever is more. All
  // that one rank sends to another is one exchange.
  Count exchanges = 0;  // of a node's ranks with other nodes
  Bytes exchanged = 0;  // by a node's ranks with other nodes
  Bytes longest_exchange = 0;
  Count inside_messages = 0;  // that a rank sends, or receives, inside its node
  Bytes inside_bytes = 0;     // that a rank sends, or receives, inside its node
  // Work of a rank and of all ranks of a node together, which share its cores, memory and network adapters. Counted where nodes
  // are; where the problem names none, all ranks are on one.
  Count outside_messages = 0;       // that a rank sends to other nodes, or receives from them
  Bytes outside_bytes = 0;          // of these
  Count node_outside_messages = 0;  // of all ranks of a node
  Count node_inside_messages = 0;   // that all ranks of a node send inside it
  Bytes node_inside_bytes = 0;      // of these
  Bytes copied = 0;                 // by a rank, between its own buffers
  Bytes node_copied = 0;            // by all ranks of a node
  Bytes combined = 0;               // by a rank, in reductions
  Bytes node_combined = 0;          // by all ranks of a node
  bool in_circle = false;           // in the whole operation, does a rank wait for ranks that wait for it?
};

struct StageFigures {
  std::string name;
  Count startups = 0;                // S: sum over rounds of `messages`
  Count messages = 0;                // the most that a rank sends, or receives, in the stage
  Bytes volume = 0;                  // V: sum over rounds of `bytes`
  Bytes wire = 0;                    // V, or where links are counted the sum of `link_bytes`, if these are more
  Bytes load = 0;                    // the most bytes that a rank sends, or receives, in the stage
  bool in_pieces = false;            // is a message not one run of bytes?
  std::vector<RoundFigures> rounds;  // those with a message, or where work is counted with work
};

struct Workload {
  std::vector<StageFigures> stages;
  Bytes held = 0;              // bytes of a rank's input or output, the largest
  Bytes scratch = 0;           // bytes of scratch of a rank, the largest
  Bytes control_bytes = 0;     // that a rank sends in headers and count exchanges, the largest
  Count ports = 0;             // most messages that a rank sends, or receives, in a round
  bool has_links = false;      // are links counted?
  bool has_nodes = false;      // are nodes counted? Where ranks are on more than one
  bool has_work = false;       // is the work of ranks and nodes counted?
  bool is_exchange = false;    // of alltoall or alltoallv
  Count messages_counted = 0;  // how long it took
  Count nodes_sampled = 0;     // programs were made and work was counted on so many nodes only; 0: on all, or on those that
                               // stand for all
};

bool is_exchange(Collective collective);  // alltoall, alltoallv

struct WorkloadOptions {
  const Topology* topology = nullptr;  // count links
  bool nodes = false;                  // count nodes, where the problem names more than one
  bool work = false;                   // count the work of ranks and nodes (RoundFigures::outside_messages and on)
};

// By the representatives of a stated symmetry, as `figures`; links and nodes from the messages of all ranks, which are images of
// the representatives' where a symmetry is stated, and else held in memory. Throws Error{misuse} unless the topology has as many
// ranks as the schedule, Error{too_large} where a sum reaches 2^63 bytes.
Workload workload(const Schedule& schedule, const WorkloadOptions& options = {});
std::vector<StageFigures> stage_figures(const Schedule& schedule);  // of the workload, without links and nodes

// Formulas.

// One number of a model, as it stands in a machine's file: its key ends in its unit, _us for microseconds and _us_per_byte.
struct Coefficient {
  std::string_view key;
  std::string_view meaning;
  bool required = true;            // else a file may leave it out
  std::optional<double> standard;  // its value then; absent: the model does without it
  double least = 0;
  double most = 1e6;      // a second, or a millisecond a byte: more is a mistake
  bool is_whole = false;  // a whole number
};

using Coefficients = std::map<std::string, double, std::less<>>;  // by key, in the units of the file

// What a schedule pays for: so many start-ups or bytes, and what they take.
struct PriceTerm {
  std::string_view name;  // "start-ups", or what the bytes are, "bytes on a link"
  Count amount = 0;
  bool is_bytes = false;
  double seconds = 0;
};

struct RoundPrice {
  Count number = 0;
  Picoseconds time = 0;
};

struct StagePrice {
  Picoseconds before = 0;          // what is done ahead of its first round; all, where the model tells no rounds apart
  std::vector<RoundPrice> rounds;  // those with a message; none where the model tells no rounds apart
};

// `terms` add up to `blocking_s`, and so do the stages, which are those of the workload. Where a model knows no overlap, the three
// times are the same; where it does, `nonblocking` and `dataflow` add up to these: of each stage what nothing else hides.
struct Price {
  std::vector<PriceTerm> terms, nonblocking, dataflow;
  std::vector<StagePrice> stages;
  Picoseconds blocking = 0;  // blocking_s, exactly
  double blocking_s = 0;     // round by round
  double nonblocking_s = 0;  // all messages of a stage together
  double dataflow_s = 0;     // messages leave when what they carry is there

  double seconds(Policy policy) const;
  const std::vector<PriceTerm>& terms_of(Policy policy) const;  // which add up to `seconds`
};

// What a round, or what is done ahead of a stage, takes of each of a model's terms.
struct Charge {
  Count amount = 0;
  Picoseconds time = 0;
};
using Charges = std::array<Charge, 8>;

// What of each stage nothing else hides, in the order of Model::overlapped_terms.
struct Overlapped {
  Charges nonblocking{}, dataflow{};
};

// A model with a machine's coefficients, which are whole numbers by now: the one description of what a round takes, for prices and
// simulations.
struct Formula {
  std::function<Charges(const RoundFigures&)> of_round = {};  // empty: stages are taken as a whole, by of_stage
  // What a stage takes besides its rounds, ahead of them; empty: nothing.
  std::function<Charges(const StageFigures&, const Workload&)> of_stage = {};
  std::function<Overlapped(const std::vector<StageFigures>&)> overlapped = {};  // empty: nothing overlaps
};

struct ModelTerm {
  std::string_view name;
  bool is_bytes = false;
  bool is_on_links = false;  // told only where links are counted
};

// Of models of stages that hide parts of what they take: these.
inline const std::vector<ModelTerm> parts_of_stages{
    {"start-ups"}, {"composed bytes", true}, {"copied bytes", true}, {"wire bytes", true}};

// One file and one row in the table of src/cost/models.cpp; with them files, command and documentation know it.
struct Model {
  std::string_view id;
  std::string_view formula;  // one line
  std::string_view source;   // citation key of docs/references.bib, with the place
  std::vector<Coefficient> coefficients;
  bool tells_policies_apart = false;
  bool needs_links = false;                              // Workload::has_links
  bool needs_nodes = false;                              // Workload::has_nodes
  bool needs_work = false;                               // Workload::has_work
  bool needs_exchange = false;                           // Workload::is_exchange
  std::vector<ModelTerm> terms;                          // at most as many as Charges
  Formula (*formula_of)(const Coefficients&) = nullptr;  // complete, checked coefficients
  std::vector<ModelTerm> overlapped_terms = {};          // of Formula::overlapped
  std::string_view shared_table = {};  // of another model, whose figures in a machine's file it reads; empty: none
  // What a message takes by itself, of models that tell it: those can be simulated by events. Null: rounds are all it tells.
  MessageTimes (*times_of_message)(const Coefficients&) = nullptr;

  bool knows(std::string_view key) const;                                              // has it this coefficient?
  std::string_view table() const { return shared_table.empty() ? id : shared_table; }  // of its figures in a machine's file
};

std::span<const Model* const> all_models();    // in the order in which they are preferred
const Model* find_model(std::string_view id);  // null if there is none

// Nothing if the model can price the workload, else the reason.
Result<> applies(const Model& model, const Workload& workload);

// Machines.

using Assumptions = std::map<std::string, std::string, std::less<>>;  // by a coefficient's key: the rule that gives its value

struct MachineCosts {
  std::string name, description, source;
  std::map<std::string, Coefficients, std::less<>> models;  // by the model's id: complete, checked
  std::map<std::string, Assumptions, std::less<>> assumed;  // by the model's id: those of its figures without a published source
};

// A TOML file: name, description, source and a table for each model that the machine is known by, [linear] or [flat], with its
// coefficients; one table for models that share it. A table [linear.assumed] says by which rule those of its figures were found
// that are not published. Throws Error{environment, malformed}, with the line where there is one.
MachineCosts read_machine(const std::string& file);

// The same as text; `remarks` become lines of comment at its head. Throws Error{malformed} where `read_machine` would refuse it.
std::string machine_text(const MachineCosts& machine, const std::vector<std::string>& remarks = {});

// The machine of this name: a file NAME.toml in the user's folder or in the one that is installed beside the library; or else the
// file of this path. Throws Error{misuse} if there is none.
MachineCosts find_machine(const std::string& name_or_file);
std::vector<std::string> machine_names();

// The user's folder, ~/.config/quadrille/machines or where XDG_CONFIG_HOME says; empty where there is no home.
std::string user_machine_folder();

// The machine's coefficients for the model. Throws Error{misuse} where it is not known by the model.
const Coefficients& coefficients_of(const MachineCosts& machine, const Model& model);

// Throw Error{misuse} where the machine is not known by the model, or the workload cannot be priced by it, and Error{too_large}
// where it would take 2^63 picoseconds.
Price price_of(const Workload& workload, const Model& model, const MachineCosts& machine);
Price price_of(const Workload& workload, const Model& model, const Coefficients& coefficients);

// The flat model of [liu2002] in numbers, which races are predicted by: a message costs its start-up and a time for each byte,
// whoever sends it to whom.

struct FlatModel {
  std::string name, description, source;
  double startup_s = 0;           // T_s, of sending and receiving a message
  double compose_s_per_byte = 0;  // t_m, of putting messages together and taking them apart
  double copy_s_per_byte = 0;     // t_c, to and from the interface
  double wire_s_per_byte = 0;     // t_d
  // How much longer the wire takes for messages that meet at a rank, where everybody goes at their own pace: calibrated. Without
  // it ranks are taken to go in step.
  std::optional<double> contention;
  bool is_fitted = false;  // to ranks, just before; else a machine's file says it
};

FlatModel flat_model_of(const Coefficients& coefficients);
FlatModel flat_model_of(const MachineCosts& machine);  // throws Error{misuse} where the machine is not known by it

struct Prediction {
  Count startups = 0;        // S
  Bytes volume = 0;          // V
  double blocking_s = 0;     // S T_s + V (t_m + t_c + t_d)
  double nonblocking_s = 0;  // each stage: V t_m + max(S T_s, V t_c, V t_d)
  double dataflow_s = 0;     // the same, where composing is hidden behind the stage before

  double seconds(Policy policy) const;
};

// With a contention factor f, a stage whose ranks go at their own pace has its load for V, and f times that, but no more than
// V, on the wire. Where links are counted, the wire's V is that of the busiest link, if that is more.
Prediction predict(const std::vector<StageFigures>& stages, const FlatModel& model);

}  // namespace quadrille
