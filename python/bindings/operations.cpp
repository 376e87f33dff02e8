// SPDX-License-Identifier: BSD-3-Clause
#include "operations.hpp"

#include <fmt/format.h>
#include <pybind11/stl.h>

#include <algorithm>

#include "quadrille/error.hpp"
#include "schedule/regions.hpp"

namespace quadrille::python {
namespace {

// input, output or scratch; memory[begin:end] is a region of it.
struct Memory {
  Buffer buffer = Buffer::input;
};

// The number in a slice, in bytes.
Bytes bytes_in(const py::object& number, const Memory& memory) {
  const Py_ssize_t bytes = PyNumber_AsSsize_t(number.ptr(), PyExc_OverflowError);
  if (bytes != -1 || !PyErr_Occurred()) return bytes;
  PyErr_Clear();
  throw py::type_error(fmt::format("{}[begin:end] takes whole numbers of bytes, not {}; p // 2 is one, p / 2 is not",
                                   name(memory.buffer), py::repr(number).cast<std::string>()));
}

Region region_of(const Memory& memory, const py::object& index) {
  if (!py::isinstance<py::slice>(index)) throw py::type_error(fmt::format("write {}[begin:end], in bytes", name(memory.buffer)));
  const auto slice = py::reinterpret_borrow<py::slice>(index);
  const py::object start = slice.attr("start"), stop = slice.attr("stop"), step = slice.attr("step");
  if (!step.is_none() || stop.is_none()) throw py::index_error(fmt::format("write {}[begin:end], in bytes", name(memory.buffer)));
  const Bytes begin = start.is_none() ? 0 : bytes_in(start, memory), end = bytes_in(stop, memory);
  if (begin < 0 || end < begin)
    throw py::index_error(fmt::format("{}[{}:{}] is not a region: 0 <= begin <= end", name(memory.buffer), begin, end));
  return {memory.buffer, begin, end - begin};
}

// Reads a region, or a list of regions.
Regions list_of(const py::object& some) {
  if (py::isinstance<Region>(some)) return {some.cast<const Region&>()};
  const auto refuse = [](const py::handle& object) {
    throw py::type_error(fmt::format("a region is memory[begin:end], such as quadrille.input[0:8], or a list of them, not {}",
                                     py::repr(object).cast<std::string>()));
  };
  if (!py::isinstance<py::iterable>(some)) refuse(some);
  Regions regions;
  for (const py::handle each : some) {
    if (!py::isinstance<Region>(each)) refuse(each);
    regions.push_back(each.cast<const Region&>());
  }
  return regions;
}

Rank rank_of(const py::object& rank) {
  const Py_ssize_t number = PyNumber_AsSsize_t(rank.ptr(), PyExc_OverflowError);
  if (number != -1 || !PyErr_Occurred()) return number;
  PyErr_Clear();
  throw py::type_error(fmt::format("a rank is a whole number, not {}", py::repr(rank).cast<std::string>()));
}

void add_to(ProgramBuilder& program, const Operation& operation) {
  switch (operation.kind) {
    case OperationKind::send: return program.send(operation.peer, operation.source);
    case OperationKind::receive: return program.receive(operation.peer, operation.target);
    case OperationKind::copy: return program.copy(operation.source, operation.target);
    case OperationKind::reduce: return program.reduce(operation.source, operation.target, operation.order);
  }
}

Bytes scratch_end(const Operation& operation) {
  Bytes end = 0;
  for (const Regions& regions : {operation.source, operation.target})
    for (const Region& region : regions)
      if (region.buffer == Buffer::scratch) end = std::max(end, region.offset + region.length);
  return end;
}

// As Python writes it, "output[8:16]"; regions with strides, which it cannot write, in words.
std::string text_of(const Region& region) {
  Bytes end = 0;
  if (region.levels != Region{}.levels || __builtin_add_overflow(region.offset, region.length, &end)) return in_words(region);
  return fmt::format("{}[{}:{}]", name(region.buffer), region.offset, end);
}

std::string text_of(const Operation& operation) {
  const auto listed = [](const Regions& regions) {
    std::string text;
    for (const Region& region : regions) text += (text.empty() ? "" : " ") + text_of(region);
    return text;
  };
  switch (operation.kind) {
    case OperationKind::send: return fmt::format("send to {} {}", operation.peer, listed(operation.source));
    case OperationKind::receive: return fmt::format("receive from {} {}", operation.peer, listed(operation.target));
    case OperationKind::copy: return fmt::format("copy {} -> {}", listed(operation.source), listed(operation.target));
    case OperationKind::reduce:
      return fmt::format("combine {} {} -> {}", operation.order == OperandOrder::source_first ? "source-first" : "target-first",
                         listed(operation.source), listed(operation.target));
  }
  return "";
}

}  // namespace

Program program_of(const py::iterable& yielded, Rank rank) {
  ProgramBuilder program{rank};
  Bytes scratch = 0;
  const auto add = [&](const Operation& operation) {
    add_to(program, operation);
    scratch = std::max(scratch, scratch_end(operation));
  };
  for (const py::handle item : yielded) {
    if (py::isinstance<py::str>(item)) {
      program.stage(item.cast<std::string>());
      continue;
    }
    program.begin_round();
    if (item.is_none()) continue;
    if (py::isinstance<Operation>(item)) {
      add(item.cast<const Operation&>());
      continue;
    }
    if (!py::isinstance<py::iterable>(item))
      throw py::type_error(
          fmt::format("an algorithm yields lists of send, receive, copy and combine, not {}", py::repr(item).cast<std::string>()));
    for (const py::handle each : item) {
      if (!py::isinstance<Operation>(each))
        throw py::type_error(
            fmt::format("a round has send, receive, copy and combine, not {}", py::repr(each).cast<std::string>()));
      add(each.cast<const Operation&>());
    }
  }
  program.scratch(scratch);
  return std::move(program).finish();
}

void add_operations(py::module_& module) {
  py::class_<Region>(module, "Region", "Bytes of a rank's input, output or scratch memory.")
      .def_property_readonly(
          "memory", [](const Region& region) { return std::string(name(region.buffer)); }, "input, output or scratch.")
      .def_readonly("offset", &Region::offset, "Bytes before it in the memory.")
      .def_readonly("length", &Region::length, "Bytes.")
      .def("__eq__", [](const Region& one, const Region& other) { return one == other; })
      .def("__repr__", [](const Region& region) { return text_of(region); });
  py::class_<Memory>(module, "Memory", "A rank's memory. memory[begin:end] is a Region of it, in bytes.")
      .def("__getitem__", &region_of)
      .def("__repr__", [](const Memory& memory) { return fmt::format("<Memory: {}>", name(memory.buffer)); });
  module.attr("input") = Memory{Buffer::input};
  module.attr("output") = Memory{Buffer::output};
  module.attr("scratch") = Memory{Buffer::scratch};
  py::class_<Operation>(module, "Operation", "What a rank does in a round: send, receive, copy or combine.")
      .def("__repr__", py::overload_cast<const Operation&>(&text_of));
  module.def(
      "send",
      [](const py::object& to, const py::object& regions) {
        return Operation{OperationKind::send, rank_of(to), list_of(regions), {}};
      },
      py::arg("to"), py::arg("regions"), "Sends the bytes of these regions, read before anything of the round is received.");
  module.def(
      "receive",
      [](const py::object& from, const py::object& regions) {
        return Operation{OperationKind::receive, rank_of(from), {}, list_of(regions)};
      },
      py::arg("from_"), py::arg("regions"), "Receives the message that this rank sends in the same round.");
  module.def(
      "copy",
      [](const py::object& source, const py::object& target) {
        return Operation{OperationKind::copy, 0, list_of(source), list_of(target)};
      },
      py::arg("source"), py::arg("target"), "Copies within the rank, before the messages of the round.");
  module.def(
      "combine",
      [](const py::object& source, const py::object& target, bool source_first) {
        return Operation{OperationKind::reduce, 0, list_of(source), list_of(target),
                         source_first ? OperandOrder::source_first : OperandOrder::target_first};
      },
      py::arg("source"), py::arg("target"), py::kw_only(), py::arg("source_first") = true,
      "Combines within the rank, before the messages of the round: target = source o target, or target = target o source.");
}

}  // namespace quadrille::python
