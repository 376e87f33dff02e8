// SPDX-License-Identifier: BSD-3-Clause
// One small check for each known error of MPI libraries and layers over them, and for what programs rely on; run without and with
// the drop-in. Usage, under any launcher: corpus [NAME...]; default: all checks. QUADRILLE_LONG=1 adds those that take much memory
// or time. A check in which an MPI library fails by itself is left out for that library (see OPEN_MPI and MPICH below).
#include <mpi.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace quadrille::trials {
namespace {

int rank = 0, size = 1;
bool threads_allowed = false;

std::size_t ranks() { return static_cast<std::size_t>(size); }

void want(bool right, const char* what) {
  if (!right) throw std::runtime_error(what);
}

void in_place_alltoallv() {  // counts differ between pairs, but are equal in both directions
  for (int times = 0; times < 20; ++times) {
    std::vector<int> counts, places;
    int end = 0;
    for (int peer = 0; peer < size; ++peer) {
      counts.push_back((rank + peer) % 4 + rank * peer);
      places.push_back(end += 1);
      end += counts.back();
    }
    std::vector<int> data(static_cast<std::size_t>(end + 1), -1);
    const auto at = [&](int peer, int i) -> int& {
      return data[static_cast<std::size_t>(places[static_cast<std::size_t>(peer)] + i)];
    };
    for (int peer = 0; peer < size; ++peer)
      for (int i = 0; i < counts[static_cast<std::size_t>(peer)]; ++i) at(peer, i) = rank * 10000 + peer * 100 + i + times;
    MPI_Alltoallv(MPI_IN_PLACE, nullptr, nullptr, MPI_DATATYPE_NULL, data.data(), counts.data(), places.data(), MPI_INT,
                  MPI_COMM_WORLD);
    for (int peer = 0; peer < size; ++peer) {
      want(at(peer, -1) == -1, "a gap has been written");
      for (int i = 0; i < counts[static_cast<std::size_t>(peer)]; ++i)
        want(at(peer, i) == peer * 10000 + rank * 100 + i + times, "a block is wrong");
    }
  }
}

void large_in_place() {  // blocks so large that no rank keeps a copy on the way
  const int count = 50'000;
  const std::vector<int> counts(ranks(), count);
  std::vector<int> places, data(ranks() * static_cast<std::size_t>(count));
  for (int peer = 0; peer < size; ++peer) places.push_back(peer * count);
  for (int times = 0; times < 4; ++times)
    for (const bool irregular : {true, false}) {
      for (std::size_t i = 0; i < data.size(); ++i) data[i] = rank * 1'000'000 + static_cast<int>(i) + times;
      if (irregular)
        MPI_Alltoallv(MPI_IN_PLACE, nullptr, nullptr, MPI_DATATYPE_NULL, data.data(), counts.data(), places.data(), MPI_INT,
                      MPI_COMM_WORLD);
      else
        MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, data.data(), count, MPI_INT, MPI_COMM_WORLD);
      bool right = true;
      for (int peer = 0; peer < size; ++peer)
        for (int i = 0; i < count; ++i)
          right &= data[static_cast<std::size_t>(peer * count + i)] == peer * 1'000'000 + rank * count + i + times;
      want(right, "a block is wrong");
    }
}

void empty_types() {  // counts above 0 of a type without data, alternating with calls that move data
  MPI_Datatype empty;
  MPI_Type_contiguous(0, MPI_INT, &empty);
  MPI_Type_commit(&empty);
  std::vector<int> in(ranks(), rank), out(ranks(), -1);
  for (int times = 0; times < 10; ++times) {
    MPI_Alltoall(in.data(), 3, empty, out.data(), 2, empty, MPI_COMM_WORLD);
    MPI_Allgather(in.data(), 1, empty, out.data(), 5, empty, MPI_COMM_WORLD);
    MPI_Bcast(in.data(), 4, empty, 0, MPI_COMM_WORLD);
    for (const int& x : out) want(x == (times ? (&x - out.data()) : -1), "an empty type wrote something");
    MPI_Alltoall(in.data(), 1, MPI_INT, out.data(), 1, MPI_INT, MPI_COMM_WORLD);
  }
  MPI_Type_free(&empty);
}

void swapped_types() {  // sent forwards, received backwards
  const int places[] = {2, 1, 0};
  MPI_Datatype backwards;
  MPI_Type_create_indexed_block(3, 1, places, MPI_INT, &backwards);
  MPI_Type_commit(&backwards);
  std::vector<int> in(3 * ranks()), out(3 * ranks());
  for (int times = 0; times < 10; ++times) {
    for (std::size_t i = 0; i < in.size(); ++i) in[i] = rank * 1000 + static_cast<int>(i) + times;
    MPI_Alltoall(in.data(), 3, MPI_INT, out.data(), 1, backwards, MPI_COMM_WORLD);
    for (int source = 0; source < size; ++source)
      for (int i = 0; i < 3; ++i)
        want(out[static_cast<std::size_t>(3 * source + 2 - i)] == source * 1000 + 3 * rank + i + times, "a type's order is lost");
  }
  MPI_Type_free(&backwards);
}

void affine(void* in, void* inout, int* length, MPI_Datatype*) {
  const auto* left = static_cast<const std::uint32_t*>(in);
  auto* right = static_cast<std::uint32_t*>(inout);
  for (int i = 0; i < *length; ++i, left += 2, right += 2) {
    right[1] = left[0] * right[1] + left[1];
    right[0] *= left[0];
  }
}

void operators_in_order() {  // compositions of x -> a x + b: the order matters, the grouping must not
  MPI_Datatype pair;
  MPI_Type_contiguous(2, MPI_UINT32_T, &pair);
  MPI_Type_commit(&pair);
  for (int times = 0; times < 20; ++times) {
    MPI_Op compose;
    MPI_Op_create(affine, 0, &compose);
    const int count = times % 2 ? 1 : 700;
    std::vector<std::uint32_t> in(static_cast<std::size_t>(2 * count)), out(in);
    const auto value = [&](int of, std::size_t i) {
      return static_cast<std::uint32_t>(of * 7 + 3 + times) * (static_cast<std::uint32_t>(i) + 1);
    };
    for (std::size_t i = 0; i < in.size(); ++i) in[i] = value(rank, i);
    const auto check = [&](int first, int last) {
      for (std::size_t i = 0; i < in.size(); i += 2) {
        std::uint32_t a = 1, b = 0;
        for (int of = first; of <= last; ++of) {
          b += a * value(of, i + 1);
          a *= value(of, i);
        }
        want(out[i] == a && out[i + 1] == b, "the operands are not in the order of the ranks");
      }
    };
    MPI_Allreduce(in.data(), out.data(), count, pair, compose, MPI_COMM_WORLD);
    check(0, size - 1);
    MPI_Reduce(in.data(), out.data(), count, pair, compose, size - 1, MPI_COMM_WORLD);
    if (rank == size - 1) check(0, size - 1);
    MPI_Scan(in.data(), out.data(), count, pair, compose, MPI_COMM_WORLD);
    check(0, rank);
    MPI_Op_free(&compose);
  }
  MPI_Type_free(&pair);
}

void nothing_for_some() {  // alltoallv with zero counts in rows, columns and everywhere; null buffers
  for (int times = 0; times < 60; ++times) {
    const auto count = [&](int from, int to) {
      const int kind = times % 6;
      return kind == 0   ? 0
             : kind == 1 ? (to == 0) * 3
             : kind == 2 ? (from == 0) * 5
             : kind == 3 ? (from == to)
                         : (from * 3 + to + times) % 3;
    };
    std::vector<int> sent, received, out_places, in_places;
    int sends = 0, receives = 0;
    for (int peer = 0; peer < size; ++peer) {
      sent.push_back(count(rank, peer));
      received.push_back(count(peer, rank));
      out_places.push_back(sends);
      in_places.push_back(receives);
      sends += sent.back();
      receives += received.back();
    }
    std::vector<double> in(static_cast<std::size_t>(sends)), out(static_cast<std::size_t>(receives), -1);
    for (int peer = 0, k = 0; peer < size; ++peer)
      for (int i = 0; i < sent[static_cast<std::size_t>(peer)]; ++i) in[static_cast<std::size_t>(k++)] = rank * 100 + peer * 10 + i;
    MPI_Alltoallv(in.data(), sent.data(), out_places.data(), MPI_DOUBLE, out.data(), received.data(), in_places.data(), MPI_DOUBLE,
                  MPI_COMM_WORLD);
    for (int peer = 0, k = 0; peer < size; ++peer)
      for (int i = 0; i < received[static_cast<std::size_t>(peer)]; ++i)
        want(out[static_cast<std::size_t>(k++)] == peer * 100 + rank * 10 + i, "a block is wrong");
  }
}

void many_calls() {  // more calls than a 16-bit counter can count
  for (int i = 0; i < 65'537; ++i) {
    int sum = 0;
    MPI_Allreduce(&i, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    want(sum == static_cast<int>(static_cast<unsigned>(i) * static_cast<unsigned>(size)), "a sum is wrong");
  }
}

void broadcast_ahead() {  // a broadcast's root need not wait for the others, and some programs rely on that by mistake
  if (size < 2) return;
  MPI_Comm world;
  MPI_Comm_dup(MPI_COMM_WORLD, &world);
  int data = 0, told = 0;
  if (rank == 1) MPI_Recv(&told, 1, MPI_INT, 0, 9, world, MPI_STATUS_IGNORE);
  for (int i = 0; i < 5; ++i) {
    if (rank == 0) data = i;
    MPI_Bcast(&data, 1, MPI_INT, 0, world);
    want(data == i, "a broadcast is wrong");
  }
  if (rank == 0) MPI_Send(&data, 1, MPI_INT, 1, 9, world);
  MPI_Comm_free(&world);
}

// Ranks that only send need not wait for a root. Here they are ahead of it by more messages than the memory between two ranks
// holds, and have left the loop long before the last root of it. The roots change, so ranks are both ahead and behind.
void gathers_ahead() {
  MPI_Comm world;
  MPI_Comm_dup(MPI_COMM_WORLD, &world);
  std::vector<int> all(ranks() * 3), counts, places;
  for (int each = 0; each < size; ++each) counts.push_back(each % 3), places.push_back(3 * each);
  for (int part = 0; part < 3; ++part) {
    for (int i = 0; i < 2000; ++i) {
      const int root = part == 1 ? i / 100 % size : part == 2 ? size - 1 : 0, mine[2] = {rank + i, rank - i};
      if (i % 500 == 0 && rank == root) ::usleep(20'000);
      MPI_Gatherv(mine, rank % 3, MPI_INT, all.data(), counts.data(), places.data(), MPI_INT, root, world);
      for (int each = 0; each < size && rank == root; ++each)
        for (int k = 0; k < each % 3; ++k)
          want(all[static_cast<std::size_t>(3 * each + k)] == (k == 0 ? each + i : each - i), "a gathered block is wrong");
      if (i % 50 != 0) continue;
      int got[2] = {-1, -1};
      MPI_Scatterv(all.data(), counts.data(), places.data(), MPI_INT, got, rank % 3, MPI_INT, root, world);
      for (int k = 0; k < rank % 3; ++k) want(got[k] == (k == 0 ? rank + i : rank - i), "a scattered block is wrong");
    }
    MPI_Barrier(world);
  }
  MPI_Comm_free(&world);
}

void thousands_of_communicators() {
  for (int i = 0; i < 3000; ++i) {
    MPI_Comm made;
    MPI_Comm_split(MPI_COMM_WORLD, 0, i % 2 ? rank : -rank, &made);
    std::vector<int> in(ranks(), rank + i), out(ranks(), -1);
    for (int times = 0; times < 3; ++times) MPI_Alltoall(in.data(), 1, MPI_INT, out.data(), 1, MPI_INT, made);
    for (int j = 0; j < size; ++j) want(out[static_cast<std::size_t>(j)] == (i % 2 ? j : size - 1 - j) + i, "a block is wrong");
    MPI_Comm_free(&made);
  }
}

void thousands_of_types() {  // MPI reuses handles: the same handle may later be another type
  std::vector<int> in(64 * ranks()), out(in);
  for (int i = 0; i < 3000; ++i) {
    MPI_Datatype made;
    const int stride = 1 + i % 4;
    MPI_Type_vector(3, 1, stride, MPI_INT, &made);
    MPI_Type_commit(&made);
    for (std::size_t k = 0; k < in.size(); ++k) in[k] = rank * 100 + static_cast<int>(k) + i;
    MPI_Allgather(in.data(), 1, made, out.data(), 3, MPI_INT, MPI_COMM_WORLD);
    for (int j = 0; j < size; ++j)
      for (int k = 0; k < 3; ++k)
        want(out[static_cast<std::size_t>(3 * j + k)] == j * 100 + k * stride + i, "a stale type was used");
    MPI_Type_free(&made);
  }
}

void two_threads() {  // each thread has its own communicator
  if (!threads_allowed) return;
  MPI_Comm communicators[2];
  for (MPI_Comm& each : communicators) MPI_Comm_dup(MPI_COMM_WORLD, &each);
  std::string faults[2];
  const auto work = [&](int thread) {
    try {
      std::vector<int> in(10 * ranks()), out(in);
      for (int i = 0; i < 300; ++i) {
        for (std::size_t k = 0; k < in.size(); ++k) in[k] = rank * 1000 + static_cast<int>(k) + i + 7 * thread;
        MPI_Alltoall(in.data(), 10, MPI_INT, out.data(), 10, MPI_INT, communicators[thread]);
        for (int j = 0; j < size; ++j)
          for (int k = 0; k < 10; ++k)
            want(out[static_cast<std::size_t>(10 * j + k)] == j * 1000 + rank * 10 + k + i + 7 * thread, "a block is wrong");
        int sum = 0;
        MPI_Allreduce(&i, &sum, 1, MPI_INT, MPI_SUM, communicators[thread]);
        want(sum == i * size, "a sum is wrong");
      }
    } catch (const std::exception& error) {
      faults[thread] = error.what();
    }
  };
  std::thread other(work, 1);
  work(0);
  other.join();
  for (MPI_Comm& each : communicators) MPI_Comm_free(&each);
  for (const std::string& fault : faults) want(fault.empty(), fault.c_str());
}

void forks() {  // a child that calls no MPI, and ends in different ways
  std::vector<int> in(ranks(), rank), out(ranks());
  for (int i = 0; i < 20; ++i) {
    MPI_Alltoall(in.data(), 1, MPI_INT, out.data(), 1, MPI_INT, MPI_COMM_WORLD);
    if (i % 5 != 4) continue;
    const pid_t child = ::fork();
    if (child == 0) {
      std::vector<char> memory(100'000, 1);
      ::_exit(memory[500] + 1);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    want(WIFEXITED(status) && WEXITSTATUS(status) == 2, "the child has died");
  }
  for (int j = 0; j < size; ++j) want(out[static_cast<std::size_t>(j)] == j, "a block is wrong after a fork");
}

void self() {  // every collective on one rank
  for (int i = 0; i < 20; ++i) {
    double in[] = {1.0 * i, 2}, out[] = {-1, -1, -1};
    MPI_Alltoall(in, 2, MPI_DOUBLE, out, 2, MPI_DOUBLE, MPI_COMM_SELF);
    want(out[0] == i && out[1] == 2 && out[2] == -1, "alltoall");
    MPI_Allreduce(in, out + 1, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_SELF);
    want(out[1] == i && out[2] == 2, "allreduce");
    MPI_Allreduce(MPI_IN_PLACE, out, 3, MPI_DOUBLE, MPI_MAX, MPI_COMM_SELF);
    want(out[0] == i && out[1] == i && out[2] == 2, "allreduce in place");
    MPI_Barrier(MPI_COMM_SELF);
  }
}

void errors_return() {  // wrong arguments reach the MPI library, and its error class is returned, also on a duplicate
  MPI_Comm world, duplicate;
  MPI_Comm_dup(MPI_COMM_WORLD, &world);
  MPI_Comm_set_errhandler(world, MPI_ERRORS_RETURN);
  MPI_Comm_dup(world, &duplicate);
  std::vector<int> in(ranks()), out(ranks());
  for (int i = 0; i < 6; ++i) {
    const auto class_of = [](int code) {
      int result = 0;
      MPI_Error_class(code, &result);
      return result;
    };
    for (MPI_Comm each : {world, duplicate}) {
      want(class_of(MPI_Alltoall(in.data(), -1, MPI_INT, out.data(), -1, MPI_INT, each)) == MPI_ERR_COUNT, "not MPI_ERR_COUNT");
      want(class_of(MPI_Alltoall(in.data(), 1, MPI_DATATYPE_NULL, out.data(), 1, MPI_INT, each)) == MPI_ERR_TYPE,
           "not MPI_ERR_TYPE");
      want(class_of(MPI_Bcast(in.data(), 1, MPI_INT, size, each)) == MPI_ERR_ROOT, "not MPI_ERR_ROOT");
      want(class_of(MPI_Allreduce(in.data(), out.data(), 1, MPI_INT, MPI_OP_NULL, each)) == MPI_ERR_OP, "not MPI_ERR_OP");
      MPI_Alltoall(in.data(), 1, MPI_INT, out.data(), 1, MPI_INT, each);
    }
  }
  MPI_Comm_free(&duplicate);
  MPI_Comm_free(&world);
}

void above_2_31_bytes() {  // types that take no more memory than one element, because their rows overlap and are only read
  MPI_Datatype row;
  MPI_Type_contiguous(1 << 20, MPI_BYTE, &row);
  MPI_Type_commit(&row);
  const int count = 2049;  // of 1 MiB
  std::vector<char> data(static_cast<std::size_t>(count) << 20, static_cast<char>(rank == 0 ? 5 : 0));
  for (int i = 0; i < 2; ++i) {
    MPI_Bcast(data.data(), count, row, 0, MPI_COMM_WORLD);
    want(data.front() == 5 && data.back() == 5 && data[data.size() / 2] == 5, "a broadcast of 2 GiB is wrong");
  }
  MPI_Type_free(&row);
}

struct Check {
  const char* name;
  void (*run)();
  bool is_long = false;
};
constexpr Check checks[] = {{"in_place_alltoallv", in_place_alltoallv},
                            {"large_in_place", large_in_place},
                            {"empty_types", empty_types},
                            {"swapped_types", swapped_types},
                            {"operators_in_order", operators_in_order},
                            {"nothing_for_some", nothing_for_some},
                            {"many_calls", many_calls},
                            {"broadcast_ahead", broadcast_ahead},
                            {"gathers_ahead", gathers_ahead},
                            {"thousands_of_communicators", thousands_of_communicators},
                            {"thousands_of_types", thousands_of_types},
                            {"two_threads", two_threads},
                            {"forks", forks},
                            {"self", self},
                            {"errors_return", errors_return},
                            {"above_2_31_bytes", above_2_31_bytes, true}};

bool asked_for(const Check& check, int count, char** arguments) {
  const char* setting = std::getenv("QUADRILLE_LONG");
  if (count < 2) return !check.is_long || (setting && std::strcmp(setting, "1") == 0 && size <= 3);
  for (int i = 1; i < count; ++i)
    if (std::strcmp(arguments[i], check.name) == 0) return true;
  return false;
}

}  // namespace
}  // namespace quadrille::trials

int main(int count, char** arguments) {
  using namespace quadrille::trials;
  int provided = 0;
  MPI_Init_thread(&count, &arguments, MPI_THREAD_MULTIPLE, &provided);
  threads_allowed = provided == MPI_THREAD_MULTIPLE;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (const Check& check : checks) {
    if (!asked_for(check, count, arguments)) continue;
    try {
      const double begin = MPI_Wtime();
      check.run();
      MPI_Barrier(MPI_COMM_WORLD);
      if (rank == 0) std::printf("%s: right, %.2f s\n", check.name, MPI_Wtime() - begin);
      std::fflush(stdout);
    } catch (const std::exception& error) {
      std::fprintf(stderr, "%s, rank %d: %s\n", check.name, rank, error.what());
      MPI_Abort(MPI_COMM_WORLD, 1);
    }
  }
  MPI_Finalize();
}
