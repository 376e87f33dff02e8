// SPDX-License-Identifier: BSD-3-Clause
// Exchanges with a few ranks: the class Neighbors, and the methods of a communicator that take lists of edges or of views.
#include "edges.hpp"

#include <fmt/format.h>
#include <pybind11/stl.h>

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "buffers.hpp"
#include "execute/executions/exchanger.hpp"
#include "numbers.hpp"
#include "plans.hpp"
#include "quadrille/exchange.hpp"
#include "quadrille/neighborhood.hpp"
#include "requests.hpp"

namespace quadrille::python {
namespace {

using Shared = std::shared_ptr<Ranks>;

// The edges of one exchange, and the buffers that they name.
struct ListedEdges {
  ListedEdges() = default;
  ListedEdges(const py::iterable& sent, const py::iterable& received) {
    read(sent, "sends", LentBuffer::Use::read, [&](Rank to, const LentBuffer& buffer) {
      sends.push_back({to, static_cast<const std::byte*>(buffer.data()), buffer.bytes()});
    });
    read(received, "receives", LentBuffer::Use::write, [&](Rank from, const LentBuffer& buffer) {
      receives.push_back({from, static_cast<std::byte*>(buffer.data()), buffer.bytes()});
    });
  }

  std::vector<Edges::Send> sends;
  std::vector<Edges::Receive> receives;
  LentBuffers buffers = kept_buffers();

 private:
  template <class Add>
  void read(const py::iterable& pairs, const char* argument, LentBuffer::Use use, const Add& add) {
    for (const py::handle pair : pairs) {
      if (!py::isinstance<py::sequence>(pair) || py::len(pair) != 2)
        throw Error(ErrorCode::misuse, fmt::format("'{}' is a list of pairs of a rank and a buffer", argument));
      const py::object rank = pair[py::int_(0)], memory = pair[py::int_(1)];
      add(number_of(rank.ptr(), "rank"), buffers->emplace_back(memory.ptr(), argument, use));
    }
  }
};

void exchange_now(const Shared& ranks, const py::iterable& sends, const py::iterable& receives) {
  const ListedEdges edges(sends, receives);
  with_group(*ranks, [&](Communicator& group) { exchange(group, edges.sends, edges.receives, false); });
}

std::unique_ptr<HeldRequest> exchange_started(const Shared& ranks, const py::iterable& sends, const py::iterable& receives) {
  const ListedEdges edges(sends, receives);
  Request request = with_group(*ranks, [&](Communicator& group) { return iexchange(group, edges.sends, edges.receives, false); });
  return std::make_unique<HeldRequest>(ranks, std::move(request), edges.buffers);
}

// Without this check, pybind11 would refuse the argument on this rank alone.
py::iterable listed(const py::object& object, const char* argument) {
  if (py::isinstance<py::iterable>(object)) return object;
  throw py::type_error(fmt::format("plan_exchange needs '{}', a list of pairs of a rank and a buffer, not {}", argument,
                                   Py_TYPE(object.ptr())->tp_name));
}

// An exchange that is repeated on the same buffers.
class HeldExchange {
 public:
  HeldExchange(Shared ranks, const py::object& sends, const py::object& receives) : ranks_(std::move(ranks)) {
    const Use use(*ranks_);
    ListedEdges edges;
    read_on_all(use, [&] {
      edges = ListedEdges(listed(sends, "sends"), listed(receives, "receives"));
      Exchanger::check({edges.sends, edges.receives}, ranks_->group().size());
    });
    buffers_ = edges.buffers;
    use([&](Communicator& group) { exchange_.emplace(group, std::move(edges.sends), std::move(edges.receives), false); });
  }
  ~HeldExchange() {
    without_lock([this] { exchange_.reset(); });
  }
  HeldExchange(const HeldExchange&) = delete;
  HeldExchange& operator=(const HeldExchange&) = delete;

  void execute() {
    with_group(*ranks_, [this](Communicator&) { exchange_->execute(); });
  }
  std::unique_ptr<HeldRequest> start() {
    Request request = with_group(*ranks_, [this](Communicator&) { return exchange_->start(); });
    return std::make_unique<HeldRequest>(ranks_, std::move(request), buffers_);
  }

 private:
  Shared ranks_;
  LentBuffers buffers_;
  std::optional<Exchange> exchange_;
};

// Blocks that lie anywhere and may have gaps, as layouts from one address.
struct ListedViews {
  ListedViews(const py::iterable& views, const char* argument, LentBuffer::Use use, LentBuffers& buffers) {
    for (const py::handle view : views) {
      if (view.is_none()) {
        layouts.emplace_back();
        continue;
      }
      const LentBuffer& buffer = buffers->emplace_back(view.ptr(), argument, use, LentBuffer::Shape::any);
      auto* const data = static_cast<std::byte*>(buffer.data());
      if (!address) address = data;
      layouts.push_back(buffer.layout(reinterpret_cast<std::intptr_t>(data) - reinterpret_cast<std::intptr_t>(address)));
    }
  }

  std::byte* address = nullptr;
  std::vector<Layout> layouts;
};

struct ExchangedViews {
  ExchangedViews(const py::iterable& sent, const py::iterable& received)
      : sends(sent, "sends", LentBuffer::Use::read, buffers), receives(received, "receives", LentBuffer::Use::write, buffers) {}

  LentBuffers buffers = kept_buffers();
  ListedViews sends, receives;
};

void views_exchanged(const Shared& ranks, const Neighbors* neighbors, const py::iterable& sends, const py::iterable& receives) {
  const ExchangedViews views(sends, receives);
  with_group(*ranks, [&](Communicator& group) {
    if (neighbors)
      neighbor_alltoallw(group, *neighbors, views.sends.address, views.sends.layouts, views.receives.address,
                         views.receives.layouts, false);
    else
      alltoallw(group, views.sends.address, views.sends.layouts, views.receives.address, views.receives.layouts, false);
  });
}

std::unique_ptr<HeldRequest> views_started(const Shared& ranks, const Neighbors* neighbors, const py::iterable& sends,
                                           const py::iterable& receives) {
  const ExchangedViews views(sends, receives);
  Request request = with_group(*ranks, [&](Communicator& group) {
    return neighbors
               ? ineighbor_alltoallw(group, *neighbors, views.sends.address, views.sends.layouts, views.receives.address,
                                     views.receives.layouts, false)
               : ialltoallw(group, views.sends.address, views.sends.layouts, views.receives.address, views.receives.layouts, false);
  });
  return std::make_unique<HeldRequest>(ranks, std::move(request), views.buffers);
}

Neighbors on_grid(std::vector<Count> dimensions, std::vector<bool> periodic, Rank rank) {
  return {CartesianGrid{std::move(dimensions), std::move(periodic)}, rank};
}

}  // namespace

void add_edges(py::module_& module) {
  py::class_<Neighbors>(
      module, "Neighbors",
      "The ranks with which a rank exchanges blocks: Neighbors(sources, destinations), two lists of ranks. A negative "
      "rank stands for no neighbour.")
      .def(py::init<std::vector<Rank>, std::vector<Rank>>(), py::arg("sources"), py::arg("destinations"))
      .def_static(
          "on_grid", &on_grid, py::arg("dimensions"), py::arg("periodic"), py::arg("rank"),
          "The neighbours of a rank on a grid in row-major order: those before and behind it in dimension 0, then in dimension 1, "
          "and so on. periodic: for each dimension, is the last rank before the first one?")
      .def_property_readonly("sources", &Neighbors::sources, "The ranks from which blocks come.")
      .def_property_readonly("destinations", &Neighbors::destinations, "The ranks to which blocks go.");
  py::class_<HeldExchange>(module, "Exchange", "An exchange that is repeated with the same edges; plan_exchange makes it.",
                           py::is_final())
      .def("execute", &HeldExchange::execute, "As Communicator.exchange.")
      .def("start", &HeldExchange::start, "As execute, but returns a Request.");
}

void add_edge_calls(py::class_<Ranks, Shared>& communicator) {
  communicator
      .def("exchange", &exchange_now, py::arg("sends"), py::arg("receives"),
           "Sends and receives any number of buffers: two lists of pairs (rank, buffer).\n\nThe k-th buffer for a rank meets the "
           "k-th "
           "that this one receives from the caller; both have as many bytes. All ranks call, also those without pairs.")
      .def("iexchange", &exchange_started, py::arg("sends"), py::arg("receives"), "Starts an exchange and returns a Request.")
      .def(
          "plan_exchange",
          [](const Shared& ranks, const py::object& sends, const py::object& receives) {
            return std::make_unique<HeldExchange>(ranks, sends, receives);
          },
          py::arg("sends") = py::none(), py::arg("receives") = py::none(),
          "Collective. Returns an Exchange, to repeat an exchange on the same buffers.")
      .def(
          "alltoallw",
          [](const Shared& ranks, const py::iterable& sends, const py::iterable& receives) {
            views_exchanged(ranks, nullptr, sends, receives);
          },
          py::arg("sends"), py::arg("receives"),
          "Sends sends[j] to rank j and receives receives[i] from rank i.\n\nTwo lists with an array for each rank, or None for an "
          "empty "
          "block. Arrays may have gaps, such as columns of a matrix. Both ends of a block have as many bytes.")
      .def(
          "ialltoallw",
          [](const Shared& ranks, const py::iterable& sends, const py::iterable& receives) {
            return views_started(ranks, nullptr, sends, receives);
          },
          py::arg("sends"), py::arg("receives"), "Starts an alltoallw and returns a Request.")
      .def(
          "neighbor_alltoallw",
          [](const Shared& ranks, const Neighbors& neighbors, const py::iterable& sends, const py::iterable& receives) {
            views_exchanged(ranks, &neighbors, sends, receives);
          },
          py::arg("neighbors"), py::arg("sends"), py::arg("receives"),
          "As alltoallw, with an array for each destination, and one for each source.")
      .def(
          "ineighbor_alltoallw",
          [](const Shared& ranks, const Neighbors& neighbors, const py::iterable& sends, const py::iterable& receives) {
            return views_started(ranks, &neighbors, sends, receives);
          },
          py::arg("neighbors"), py::arg("sends"), py::arg("receives"), "Starts a neighbor_alltoallw and returns a Request.");
}

}  // namespace quadrille::python
