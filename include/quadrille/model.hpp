// SPDX-License-Identifier: BSD-3-Clause
// Predicts what a schedule costs on a machine. A model is a formula; a machine is a file with the values of the
// formula's coefficients. The prediction is called the price. A schedule's workload is counted once and can then be
// priced by any model.
//
//   MachineCosts sp1 = find_machine("sp1");
//   Price price = price_of(workload(make_schedule(Problem::alltoall(64, 64), "bruck:radix=8")), *find_model("linear"), sp1);
//   price.blocking_s;  // 1266 us
#pragma once

#include <array>
#include <cstdint>
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

struct MessageTimes;  // below
struct Model;

// Figures: the numbers that are counted from a schedule.

// The figures of one round. Each is the maximum over all ranks, nodes or links. Control messages count as messages.
struct RoundFigures {
  Count number = 0;
  Count messages = 0;      // messages that a rank sends, or receives
  Bytes bytes = 0;         // bytes that a rank sends, or receives
  Bytes longest = 0;       // bytes of the longest message
  bool both_ways = false;  // does some rank both send and receive?
  // Bytes of the longest chain of messages that wait for each other in the round, if each rank sends one message at a time and
  // receives one at a time, in the order of its program. `chain`: a message also waits while an earlier message of its sender
  // waits for its receiver, as in [liu2002, figure 3]. `queue`: senders do not wait for receivers. Both equal `bytes` if no rank
  // has two messages, or if chains are not counted.
  Bytes chain = 0, queue = 0;
  // Figures of links. They do not count control messages, except a barrier's.
  Count turns = 0;       // steps that a rank needs to send its messages, if each of its links takes one message in a step
  Count sharing = 0;     // messages over one directed link; a fast link carries several slow ones as one (LinkFigures)
  Bytes link_bytes = 0;  // bytes over one directed link; those of slow and fast links are converted into the machine's
  Bytes slowest = 0;     // bytes of the message that takes longest on its slowest link, converted in the same way
  Link busiest_link;     // the link that carries `sharing` messages; none if `sharing` is 0
  // Figures of nodes, whose ports are full-duplex: the larger of what a node's ranks send to other nodes and what they receive
  // from other nodes. All messages from one rank to another in the round count as one exchange.
  Count exchanges = 0;         // exchanges of a node's ranks with other nodes
  Bytes exchanged = 0;         // bytes of these exchanges
  Bytes longest_exchange = 0;  // bytes of the longest exchange
  // The same if a node has one exchange at a time, with one other node and in both directions. The two messages between two ranks
  // in the round are one exchange, which is as long as the longer message (cost/matchings.hpp).
  Count matchings = 0;        // a lower bound of the number of steps, each a matching of the nodes
  Bytes matched = 0;          // a lower bound of the sum of the lengths of these steps, in bytes
  Count inside_messages = 0;  // messages that a rank sends, or receives, within its node
  Bytes inside_bytes = 0;     // bytes that a rank sends, or receives, within its node
  // Work of a rank, and of all ranks of a node together, because they share the node's cores, memory and network
  // adapters. If the problem names no nodes, all ranks are on one node.
  Count outside_messages = 0;       // messages that a rank sends to other nodes, or receives from them
  Bytes outside_bytes = 0;          // bytes of these
  Count node_outside_messages = 0;  // messages that all ranks of a node send to other nodes, or receive from them
  Count node_inside_messages = 0;   // messages between ranks of the same node, summed over the node
  Bytes node_inside_bytes = 0;      // bytes of these
  // Within a node the receiver of a message has most of the work. It waits for a short message and takes it out of shared memory,
  // into which the sender has copied it. It copies a long message from the sender's memory.
  Count taken_messages = 0;  // of a rank: 3/4 of the messages that it receives, plus 1/4 of those that it sends
  Bytes taken_bytes = 0;     // of a rank: bytes received or, if that is more, bytes sent in messages of at most 16 KiB
  Bytes with_copied = 0;     // taken_bytes plus the bytes that the rank copies between its own buffers
  Bytes with_combined = 0;   // with_copied plus the bytes that the rank combines in reductions
  Bytes node_copied = 0;     // bytes that all ranks of a node together copy between their own buffers
  Bytes node_combined = 0;   // bytes that all ranks of a node together combine in reductions
  bool in_cycle = false;     // in the whole operation, do ranks wait for each other in a cycle?
};

struct StageFigures {
  std::string name;
  Count startups = 0;       // S: sum over the rounds of `messages`
  Count messages = 0;       // the most messages that a rank sends, or receives, in the stage
  Bytes volume = 0;         // V: sum over the rounds of `bytes`
  Bytes wire = 0;           // sum over the rounds of `bytes`, or of `link_bytes` if they are counted and larger
  Bytes load = 0;           // the most bytes that a rank sends, or receives, in the stage
  bool in_pieces = false;   // are the bytes of some message not contiguous in memory?
  bool is_chained = false;  // does a message send what an earlier round of the stage has received? Known if work is counted
  std::vector<RoundFigures> rounds;  // rounds with a message; if work is counted, also rounds with work
  // The messages that ranks post together under the policies nonblocking and dataflow, each window counted as one round. Two
  // schedules in which every rank has the same messages in the same order have the same windows, whatever their rounds. Empty
  // unless asked for; models take `rounds` if it is empty.
  std::vector<RoundFigures> windows;
};

struct Workload {
  std::vector<StageFigures> stages;
  Bytes held = 0;              // bytes of the largest input or output of any rank
  Bytes scratch = 0;           // the most scratch memory of any rank, in bytes
  Bytes control_bytes = 0;     // the most bytes that any rank sends in headers and count exchanges
  Count ports = 0;             // the most messages that a rank sends, or receives, in a round
  bool has_links = false;      // are links counted?
  bool has_nodes = false;      // are nodes counted? Only if the ranks are on several nodes
  bool has_work = false;       // is the work of ranks and nodes counted?
  bool is_exchange = false;    // is it an alltoall or alltoallv?
  Count messages_counted = 0;  // a measure of how long the counting took
  // The number of nodes on which work was counted, if it was counted on a sample only. 0: it was counted on all nodes, or
  // on nodes that represent all nodes by symmetry.
  Count nodes_sampled = 0;
};

bool is_exchange(Collective collective);  // alltoall, alltoallv

struct WorkloadOptions {
  const Topology* topology = nullptr;  // if given, count links
  bool nodes = false;                  // count nodes, if the problem names more than one
  bool work = false;                   // count the work of ranks and nodes (RoundFigures from outside_messages on)
  bool chains = false;                 // count RoundFigures::chain and queue, for at most 2^24 messages and 2^16 ranks;
                                       // ignored if work is counted
  bool windows = false;                // the same, and count StageFigures::windows
};

// Counts a schedule's workload. Like `figures`, it makes only the representatives' programs if the schedule states a
// symmetry. Links and nodes need the messages of all ranks: with a symmetry, these are the images of the
// representatives' messages; without one, they are held in memory. Throws Error{misuse} if the topology has a
// different number of ranks from the schedule, and Error{too_large} if a sum reaches 2^63 bytes.
Workload workload(const Schedule& schedule, const WorkloadOptions& options = {});
// The stages of a workload in which chains are counted, but not links or nodes.
std::vector<StageFigures> stage_figures(const Schedule& schedule);

// Counts what the model needs: links, if there is a topology; nodes, work and windows, if the model prices them.
Workload workload_for(const Model& model, const Schedule& schedule, const Topology* topology = nullptr);

// Models: formulas over these figures.

// One coefficient of a model. In a machine's file, its key ends in the unit: _us for microseconds, _us_per_byte for
// microseconds per byte.
struct Coefficient {
  std::string_view key;
  std::string_view meaning;
  bool required = true;            // if false, a file may leave it out
  std::optional<double> standard;  // the value if a file leaves it out; if absent, the model does without the coefficient
  double least = 0;
  double most = 1e6;      // one second, or one millisecond per byte: a larger value is a mistake
  bool is_whole = false;  // must it be an integer?
};

using Coefficients = std::map<std::string, double, std::less<>>;  // values by key, in the file's units

// One term of a price: a number of start-ups or bytes, and the time for them.
struct PriceTerm {
  std::string_view name;  // "start-ups", or the kind of bytes, such as "bytes on a link"
  Count amount = 0;
  bool is_bytes = false;
  double seconds = 0;
};

struct RoundPrice {
  Count number = 0;
  Picoseconds time = 0;
};

struct StagePrice {
  Picoseconds before = 0;          // time before the first round; time of the stage if the model does not price single rounds
  std::vector<RoundPrice> rounds;  // rounds with a message; none if the model does not price single rounds
};

// The blocking price is the sum of `terms`, and also the sum of `stages`, which correspond to those of the workload.
// If a model knows no overlap, the prices of the three policies are equal. Otherwise the terms in `nonblocking` and `dataflow`
// add up to the prices of these policies: each term is only the time that is not hidden behind other work.
struct Price {
  std::vector<PriceTerm> terms, nonblocking, dataflow;
  std::vector<StagePrice> stages;
  Picoseconds blocking = 0;  // blocking_s, without rounding
  double blocking_s = 0;     // one round after the other
  double nonblocking_s = 0;  // all messages of a stage at once
  double dataflow_s = 0;     // each message starts as soon as its data is available

  double seconds(Policy policy) const;
  Policy best_policy() const;                                   // the fastest; of equally fast ones, the simplest
  const std::vector<PriceTerm>& terms_of(Policy policy) const;  // terms whose sum is seconds(policy)
};

// Amount and time of one term, for a round or for the work before a stage.
struct Charge {
  Count amount = 0;
  Picoseconds time = 0;
};
using Charges = std::array<Charge, 8>;

// The time, over all stages, that is not hidden behind other work: its terms in the order of Model::overlapped_terms.
struct Overlapped {
  Charges nonblocking{}, dataflow{};
};

// A model with the coefficients of a machine, converted to whole numbers. Prices and simulations use the same
// formula, so a round takes the same time in both.
struct Formula {
  std::function<Charges(const RoundFigures&)> of_round = {};  // empty if stages are priced as a whole, by of_stage
  // The time of a stage before its first round, in addition to its rounds; empty if the model has no such time.
  std::function<Charges(const StageFigures&, const Workload&)> of_stage = {};
  std::function<Overlapped(const std::vector<StageFigures>&)> overlapped = {};  // empty if the model knows no overlap
};

// What a start-up of the busiest rank, and one of its bytes, take at least, also if they overlap with others. `adds_up`: a start-up
// does not overlap with bytes.
struct LeastParts {
  Picoseconds startup = 0;
  ByteTime byte;
  bool adds_up = false;
};

struct ModelTerm {
  std::string_view name;
  bool is_bytes = false;
  bool is_on_links = false;  // reported only if links are counted
};

// The terms of models that overlap parts of a stage.
inline const std::vector<ModelTerm> parts_of_stages{
    {"start-ups"}, {"composed bytes", true}, {"copied bytes", true}, {"wire bytes", true}};

// A model needs one file and one row in the table of src/cost/models.cpp. The command, the reading of machine files
// and the documentation then know it; `quadrille calibrate` knows only the models that it names.
struct Model {
  std::string_view id;
  std::string_view formula;  // one line
  std::string_view source;   // citation key of docs/references.bib, with the place
  std::vector<Coefficient> coefficients;
  bool tells_policies_apart = false;
  bool needs_links = false;                                  // requires Workload::has_links
  bool needs_nodes = false;                                  // requires Workload::has_nodes
  bool needs_work = false;                                   // requires Workload::has_work
  bool needs_exchange = false;                               // requires Workload::is_exchange
  bool prices_windows = false;                               // uses StageFigures::windows
  LeastParts (*least_parts)(const Coefficients&) = nullptr;  // of a model whose parts overlap, and which does not add bytes
  bool adds_bytes = false;                                   // a round, or window, takes its start-ups and then its bytes
  std::vector<ModelTerm> terms;                              // at most as many as a Charges holds
  Formula (*formula_of)(const Coefficients&) = nullptr;      // the coefficients must be complete and checked
  std::vector<ModelTerm> overlapped_terms = {};              // terms of Formula::overlapped
  std::string_view shared_table = {};  // id of the model whose table in machine files this model reads; empty: its own
  // The cost of a single message, which a simulation by events needs. Null if the model only prices rounds.
  MessageTimes (*times_of_message)(const Coefficients&) = nullptr;

  bool knows(std::string_view key) const;                                              // is this a key of its coefficients?
  std::string_view table() const { return shared_table.empty() ? id : shared_table; }  // the name of its table in a machine's file
};

std::span<const Model* const> all_models();    // in order of preference
const Model* find_model(std::string_view id);  // null if there is none

// Succeeds if the model can price the workload; otherwise says why not.
Result<> applies(const Model& model, const Workload& workload);

// Machines: coefficients of the formulas.

// Maps the key of a coefficient to the rule from which its value follows.
using Assumptions = std::map<std::string, std::string, std::less<>>;

// Whose collectives: the MPI library's own, or ours.
enum class Implementation : std::uint8_t { vendor, ours };
std::string_view name(Implementation by);  // "vendor", "ours"

// How far prices of a collective are off on the machine: the measured time of our choice, or of the MPI library's own collective,
// divided by its price. The library's collective is priced as the schedule with the same messages.
struct Residual {
  // Limits in machine files.
  static constexpr double least_ratio = 1e-3, most_ratio = 1e3, most_spread = 10;

  Collective collective{};
  Implementation by = Implementation::ours;
  Bytes block_bytes = 0;  // as in Problem; for irregular collectives the mean of the counts
  double ratio = 1;       // median of the measured time divided by the predicted one
  double spread = 0;      // standard deviation of the natural logarithm of that quotient, between sizes and repetitions
  double noise = 0;       // standard deviation of the logarithm of the time from call to call; 0: not measured
  // The load: false if all ranks entered each call together, after a pause; true if each call followed the last one at once.
  bool in_succession = false;

  bool operator==(const Residual&) const = default;
};

struct MachineCosts {
  std::string name, description, source;
  // True if a document's model defines the machine, so that its prices are exact. Plans then choose by the price alone, and
  // choose no way that needs more ports than the machine has. False if the figures were measured, or are those of a real machine
  // of which a model leaves out some costs.
  bool is_exact = false;
  std::map<std::string, Coefficients, std::less<>> models;  // by id of the model: complete and checked
  std::map<std::string, Assumptions, std::less<>> assumed;  // by id of the model: the values that come from no published source
  // In the order of the enumeration Collective. At most one for each collective, implementation, size and load. Empty: not
  // measured.
  std::vector<Residual> residuals;
  // On which ranks the residuals were measured: the number of ranks of each node, in order, if each node had consecutive ranks.
  // Empty: not known, or they were not consecutive.
  std::vector<Count> residual_node_sizes;
  std::string residual_date;  // the day on which they were measured: "2026-11-30"; empty: not known
};

// Reads a TOML file with a name, a description, a source, and a table of coefficients for each model that it
// supports, such as [linear] or [flat]. Models may share a table. A table such as [linear.assumed] gives, for values
// that are not published, the rule from which they follow. The table [residuals] has a list of residuals for each
// collective, and node_sizes. The key exact is MachineCosts::is_exact. Throws Error{environment, malformed}, with the line if there
// is one.
MachineCosts read_machine(const std::string& file);

// Returns the text of such a file. `remarks` become comment lines at its head. Throws Error{malformed} if `read_machine`
// would refuse the text.
std::string machine_text(const MachineCosts& machine, const std::vector<std::string>& remarks = {});

// Returns the machine with this name, from a file NAME.toml in the user's folder or in the folder installed with the
// library; if there is none, the machine in the file whose path is `name_or_file`. Throws Error{misuse} if there is no such file
// either.
MachineCosts find_machine(const std::string& name_or_file);
std::vector<std::string> machine_names();

// Returns the user's folder: quadrille/machines in $XDG_CONFIG_HOME, or else in ~/.config; empty if there is no home
// directory.
std::string user_machine_folder();

// Returns the machine's coefficients for the model. Throws Error{misuse} if it has none.
const Coefficients& coefficients_of(const MachineCosts& machine, const Model& model);

// Throw Error{misuse} if the machine has no coefficients for the model or the model cannot price the workload, and
// Error{too_large} if the price reaches 2^63 picoseconds.
Price price_of(const Workload& workload, const Model& model, const MachineCosts& machine);
Price price_of(const Workload& workload, const Model& model, const Coefficients& coefficients);

// ---- Times of messages
//
// The cost of a single message, for models that define one. The event-driven simulator (simulate.hpp) uses it.

// The time for which each resource of the flat machine [liu2002, section 2.1] serves a message. A resource serves one message at
// a time (simulate.hpp, docs/simulation.md).
struct ResourceTimes {
  Picoseconds send_startup = 0, receive_startup = 0;  // processor: T_s of the sender and of the receiver
  ByteTime compose;                                   // processor of the sender: t_m
  ByteTime copy_out, copy_in;                         // DMA engine of the sender, and of the receiver: t_c
  ByteTime wire;                                      // output port of the sender together with input port of the receiver: t_d
  bool overlap = true;  // if false, the processor does the work of the DMA engine and of the output port
};

// The cost of a single message: LogGP [alexandrov1995], extended to several ports. The sender is busy for `overhead`.
// `latency` later the message begins to arrive; the arrival takes `per_byte` for each byte. Then the receiver is busy for
// `overhead`.
struct MessageTimes {
  Picoseconds overhead = 0;            // o
  Picoseconds latency = 0;             // L
  Picoseconds gap = 0;                 // g: time between the starts of two messages on the same port
  ByteTime per_byte;                   // G
  bool is_first_byte_included = true;  // whether the overhead covers the first byte, as in LogGP
  Count ports = 1;  // messages that a rank can send at a time, and receive at the same time; overheads do not overlap
  std::optional<ResourceTimes> resources = {};  // if given, these are used instead of the values above
};

// Returns the costs that the model defines (Model::times_of_message). For `linear`, the start-up is both the latency and the gap.
// For `flat`, the sender and the receiver each take half of T_s and of t_c, and the sender takes all of t_m. Throws Error{misuse}
// for models that define none, and if the machine has no coefficients of the model.
MessageTimes message_times(const Model& model, const MachineCosts& machine);
MessageTimes message_times(const Model& model, const Coefficients& coefficients);

}  // namespace quadrille
