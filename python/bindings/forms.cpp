// SPDX-License-Identifier: BSD-3-Clause
#include "forms.hpp"

#include <fmt/format.h>
#include <pybind11/pybind11.h>

#include <algorithm>

namespace quadrille::python {
namespace {

namespace py = pybind11;

constexpr std::array<std::string_view, slot_count> slot_names{"neighbors",
                                                              "input",
                                                              "output",
                                                              "buffer",
                                                              "send_counts",
                                                              "receive_counts",
                                                              "send_displacements",
                                                              "receive_displacements",
                                                              "counts",
                                                              "displacements",
                                                              "op",
                                                              "root",
                                                              "algorithm",
                                                              "effort",
                                                              "policy",
                                                              "executor"};

constexpr std::string_view options = "*, algorithm='auto', effort='estimate', policy='blocking', executor='automatic'";

Slot slot_named(std::string_view name) {
  const auto found = std::find(slot_names.begin(), slot_names.end(), name);
  if (found == slot_names.end()) throw std::logic_error(fmt::format("no argument is called '{}'", name));
  return static_cast<Slot>(found - slot_names.begin());
}

}  // namespace

const std::array<Form, form_count> forms{{
    {"alltoall", Collective::alltoall, false, "input, output",
     "Block j of the input goes to rank j, block i of the output comes from rank i.\n\nBoth have ranks blocks of equal size."},
    {"alltoallv", Collective::alltoallv, false,
     "input, send_counts, output, receive_counts, send_displacements=None, receive_displacements=None",
     "As alltoall, with a length of its own for each block.\n\nCounts and displacements are elements, one number for each rank. "
     "Without "
     "displacements blocks follow each other. In place, send_counts is None, and the block from a rank replaces the block to it."},
    {"allgather", Collective::allgather, false, "input, output",
     "Block i of the output is the input of rank i.\n\nThe output has ranks times the elements of the input. In place, this rank's "
     "block is already at its place."},
    {"allgatherv", Collective::allgatherv, false, "input, output, counts, displacements=None",
     "As allgather, where rank i gives counts[i] elements.\n\nAll ranks give the same counts."},
    {"broadcast", Collective::broadcast, false, "buffer, root=0",
     "Copies the root's buffer to all ranks' buffers, which have the same size."},
    {"scatter", Collective::scatter, false, "input, output, root=0",
     "The output is this rank's block of the root's input.\n\nThe input has ranks blocks, and may be None on other ranks. In "
     "place, the "
     "root's block stays in its buffer."},
    {"scatterv", Collective::scatterv, false, "input, counts, output, root=0, displacements=None",
     "As scatter, where rank i gets counts[i] elements.\n\nInput, counts and displacements may be None on other ranks than the "
     "root."},
    {"gather", Collective::gather, false, "input, output=None, root=0",
     "Block i of the root's output is the input of rank i.\n\nThe output has ranks blocks, and may be None on other ranks. In "
     "place, "
     "the root's block is already at its place."},
    {"gatherv", Collective::gatherv, false, "input, output=None, counts=None, root=0, displacements=None",
     "As gather, where rank i gives counts[i] elements.\n\nOutput, counts and displacements may be None on other ranks than the "
     "root."},
    {"reduce", Collective::reduce, false, "input, output=None, op='sum', root=0",
     "Combines the inputs of all ranks, element by element, in the root's output.\n\nInput and output have the same size; the "
     "output "
     "may be None on other ranks. op: a name, such as 'max', or a ufunc of numpy, such as numpy.maximum."},
    {"allreduce", Collective::allreduce, false, "input, output, op='sum'",
     "Combines the inputs of all ranks, element by element; every rank gets the result.\n\nInput and output have the same size. "
     "op: a "
     "name, such as 'max', or a ufunc of numpy, such as numpy.maximum."},
    {"reduce_scatter", Collective::reduce_scatter, false, "input, output, op='sum'",
     "Combines the inputs of all ranks; rank i gets block i of the result.\n\nThe input has ranks times the elements of the "
     "output. In "
     "place, the result is at the beginning of the buffer."},
    {"reduce_scatterv", Collective::reduce_scatterv, false, "input, output, counts, op='sum'",
     "As reduce_scatter, where rank i gets counts[i] elements.\n\nAll ranks give the same counts."},
    {"scan", Collective::scan, false, "input, output, op='sum'",
     "Combines the inputs of ranks 0 to this one, element by element.\n\nInput and output have the same size."},
    {"exscan", Collective::exscan, false, "input, output, op='sum'",
     "Combines the inputs of the ranks before this one, element by element.\n\nInput and output have the same size; the output of "
     "rank "
     "0 stays as it is."},
    {"barrier", Collective::barrier, false, "", "Returns when all ranks have called it."},
    {"neighbor_alltoall", Collective::alltoall, true, "neighbors, input, output",
     "Block i of the input goes to destination i, block j of the output comes from source j.\n\nAll blocks have the same size."},
    {"neighbor_alltoallv", Collective::alltoallv, true,
     "neighbors, input, send_counts, output, receive_counts, send_displacements=None, receive_displacements=None",
     "As neighbor_alltoall, with a length of its own for each block.\n\nCounts and displacements are elements: one number for each "
     "destination, and one for each source."},
    {"neighbor_allgather", Collective::allgather, true, "neighbors, input, output",
     "The input goes to each destination, block j of the output comes from source j.\n\nAll blocks have the same size."},
    {"neighbor_allgatherv", Collective::allgatherv, true, "neighbors, input, output, counts, displacements=None",
     "As neighbor_allgather, where source j gives counts[j] elements."},
}};

Parameters::Parameters(const Form& form) : form_(form.name), signature_(form.signature) {
  if (!form.is_among_neighbors) signature_ += fmt::format("{}{}", signature_.empty() ? "" : ", ", options);
  bool is_keyword_only = false;
  for (std::string_view rest = signature_; !rest.empty();) {
    const std::string_view each = rest.substr(0, rest.find(", "));
    rest.remove_prefix(std::min(rest.size(), each.size() + 2));
    if (each == "*") {
      is_keyword_only = true;
      continue;
    }
    const std::string name(each.substr(0, each.find('=')));
    parameters_.push_back({slot_named(name), PyUnicode_InternFromString(name.c_str()), each.size() == name.size()});
    if (!is_keyword_only) ++positional_;
  }
}

const Parameters::Parameter& Parameters::named(PyObject* keyword) const {
  for (const Parameter& each : parameters_)
    if (each.name == keyword) return each;  // names in a program are interned
  for (const Parameter& each : parameters_)
    if (PyUnicode_Compare(each.name, keyword) == 0) return each;
  throw py::type_error(
      fmt::format("{} has no argument '{}'; its arguments are: {}", form_, py::str(keyword).cast<std::string>(), signature_));
}

Given Parameters::read(PyObject* const* arguments, Py_ssize_t count, PyObject* keywords) const {
  const auto given_count = static_cast<std::size_t>(count);
  if (given_count > positional_)
    throw py::type_error(fmt::format("{} takes {} arguments by position, not {}: {}", form_, positional_, count, signature_));
  Given given;
  for (std::size_t i = 0; i < given_count; ++i) given[parameters_[i].slot] = arguments[i];
  const Py_ssize_t keyword_count = keywords ? PyTuple_GET_SIZE(keywords) : 0;
  for (Py_ssize_t i = 0; i < keyword_count; ++i) {
    const Parameter& parameter = named(PyTuple_GET_ITEM(keywords, i));
    PyObject*& place = given[parameter.slot];
    if (place) throw py::type_error(fmt::format("{} got '{}' twice", form_, slot_names[static_cast<std::size_t>(parameter.slot)]));
    place = arguments[count + i];
  }
  for (std::size_t i = given_count; i < positional_; ++i)
    if (parameters_[i].is_required && !given[parameters_[i].slot])
      throw py::type_error(fmt::format("{} lacks '{}'; its arguments are: {}", form_,
                                       slot_names[static_cast<std::size_t>(parameters_[i].slot)], signature_));
  return given;
}

}  // namespace quadrille::python
