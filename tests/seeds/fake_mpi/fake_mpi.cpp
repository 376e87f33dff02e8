// SPDX-License-Identifier: BSD-3-Clause
#include "seeds/fake_mpi/fake_mpi.hpp"

#include <algorithm>
#include <cstring>
#include <deque>
#include <map>
#include <tuple>
#include <utility>

#include "seeds/system.hpp"

namespace q = quadrille::seeds;

struct FakeComm {
  std::size_t rank = 0;
};

struct FakeRequest {
  bool is_complete = false, is_cancelled = false;
  std::size_t owner = 0, peer = 0;
  int tag = 0;
  std::byte* memory = nullptr;
  std::size_t bytes = 0;  // room, or of the message
  int code = MPI_SUCCESS;
  q::Clock known;  // what the owner may know when it finds the request complete
};

namespace quadrille::seeds {
namespace {

FakeMpi* in_use = nullptr;

struct Message {
  FakeRequest* send;  // null: the message has been copied
  std::vector<std::byte> copy;
  std::size_t bytes;
  Clock known;                     // what the sender knew
  int missing_calls;               // of the receiver, until it sees the message
  FakeRequest* receive = nullptr;  // matched, waits for the sender's next call
};

}  // namespace

struct FakeMpi::State {
  explicit State(Chance& with) : chance(with) {
    constexpr std::size_t limits[] = {0, 200, 4096, 1 << 20}, rooms[] = {0, 1000, 1 << 20};
    eager_bytes = chance.of(limits), room_bytes = chance.of(rooms);
    polls_first = chance.one_in(2);
    most_missing = chance.of(std::array<int, 3>{0, 3, 12});
  }

  Chance& chance;
  std::size_t eager_bytes, room_bytes;
  bool
      polls_first;  // MPI_Testsome polls and then looks at the requests (MPICH), or looks, and polls if none is complete (Open MPI)
  int most_missing;
  std::array<FakeComm, most_ranks> communicators;
  using Key = std::tuple<std::size_t, std::size_t, int>;  // sender, receiver, tag
  std::map<Key, std::deque<Message>> sent;
  std::map<Key, std::deque<FakeRequest*>> expected;
  std::map<std::size_t, std::size_t> buffered;  // by receiver
  std::vector<std::unique_ptr<FakeRequest>> requests;
};

FakeMpi::FakeMpi(Chance& chance) : state_(new State(chance)) {
  in_use = this;
  for (std::size_t rank = 0; rank < most_ranks; ++rank) state_->communicators[rank].rank = rank;
}
FakeMpi::~FakeMpi() { in_use = nullptr; }
FakeMpi* FakeMpi::current() { return in_use; }
MPI_Comm FakeMpi::communicator(std::size_t rank) { return &state_->communicators[rank]; }

namespace {

FakeRequest* add_request(std::size_t rank, const void* memory, int bytes, int peer, int tag) {
  auto& request = FakeMpi::current()->state().requests.emplace_back(std::make_unique<FakeRequest>());
  request->owner = rank, request->peer = static_cast<std::size_t>(peer), request->tag = tag;
  request->memory = static_cast<std::byte*>(const_cast<void*>(memory)), request->bytes = static_cast<std::size_t>(bytes);
  return request.get();
}

// The data reaches the receive's memory. `reader`: the rank by whose call that happens.
void deliver(const std::byte* data, std::size_t bytes, FakeRequest& receive, const Clock& known) {
  if (bytes > receive.bytes)
    receive.code = MPI_ERR_TRUNCATE;
  else if (bytes > 0 && !receive.is_cancelled) {
    if (Memory::is_shared(receive.memory)) Memory::current()->write(receive.owner, receive.memory, bytes, nullptr);
    raw_copy(receive.memory, data, bytes);
  }
  receive.bytes = bytes, receive.known = known, receive.is_complete = true;
  Fibres::current()->note_progress();
}

int finish(MPI_Request* request, MPI_Status* status) {
  FakeRequest& done = **request;
  if (status) *status = {static_cast<int>(done.peer), done.tag, done.code, static_cast<int>(done.bytes)};
  Memory::current()->acquire(done.known);
  *request = MPI_REQUEST_NULL;
  return done.code;
}

void call(const char* what) {
  Fibres::current()->point(what, __builtin_return_address(0));
  FakeMpi::current()->progress();
}

bool is_complete(MPI_Request request) { return request == MPI_REQUEST_NULL || request->is_complete; }

int some(int count, MPI_Request* requests, int* completed, int* places, MPI_Status* statuses) {
  *completed = 0;
  int result = MPI_SUCCESS;
  bool any = false;
  for (int i = 0; i < count; ++i) {
    if (requests[i] == MPI_REQUEST_NULL) continue;
    any = true;
    if (!requests[i]->is_complete) continue;
    MPI_Status status;
    if (finish(&requests[i], &status) != MPI_SUCCESS) result = MPI_ERR_IN_STATUS;
    if (statuses) statuses[*completed] = status;
    places[(*completed)++] = i;
  }
  if (!any) *completed = MPI_UNDEFINED;
  return result;
}

}  // namespace

// First the messages that this rank receives, then the long ones that it sends.
void FakeMpi::progress() {
  State& all = *state_;
  const std::size_t rank = Fibres::current()->rank();
  for (auto& [key, messages] : all.sent) {
    if (messages.empty()) continue;
    if (std::get<1>(key) == rank) {
      auto& receives = all.expected[key];
      for (Message& message : messages) {
        if (message.receive) continue;
        if (message.missing_calls-- > 0) break;  // later messages do not overtake it
        if (receives.empty()) break;
        message.receive = receives.front();
        receives.pop_front();
        Fibres::current()->note_progress();
      }
      // MPI orders how messages are matched, but not how they complete: a short one may overtake a long one.
      std::erase_if(messages, [&](Message& message) {
        if (!message.receive || message.send) return false;
        all.buffered[rank] -= message.bytes;
        deliver(message.copy.data(), message.bytes, *message.receive, message.known);
        return true;
      });
    }
    if (std::get<0>(key) == rank)
      std::erase_if(messages, [&](Message& message) {
        if (!message.receive || !message.send || all.chance.one_in(4)) return false;
        FakeRequest& send = *message.send;
        if (Memory::is_shared(send.memory) && send.bytes > 0) Memory::current()->read(rank, send.memory, send.bytes, nullptr);
        deliver(send.memory, send.bytes, *message.receive, message.known);
        send.known = Memory::current()->released();
        send.is_complete = true;
        return true;
      });
  }
}

}  // namespace quadrille::seeds

using namespace quadrille::seeds;

int MPI_Isend(const void* memory, int count, MPI_Datatype, int to, int tag, MPI_Comm communicator, MPI_Request* request) {
  call("MPI_Isend");
  auto& all = FakeMpi::current()->state();
  const std::size_t rank = communicator->rank, bytes = static_cast<std::size_t>(count);
  *request = add_request(rank, memory, count, to, tag);
  Message message{*request,
                  {},
                  bytes,
                  Memory::current()->released(),
                  static_cast<int>(all.chance.below(static_cast<std::uint64_t>(all.most_missing) + 1))};
  std::size_t& buffered = all.buffered[static_cast<std::size_t>(to)];
  if (bytes <= all.eager_bytes && buffered + bytes <= all.room_bytes) {
    buffered += bytes;
    if (Memory::is_shared(memory) && bytes > 0) Memory::current()->read(rank, memory, bytes, nullptr);
    message.copy.resize(bytes);
    raw_copy(message.copy.data(), memory, bytes);
    message.send = nullptr;
    (*request)->is_complete = true;
  }
  all.sent[{rank, static_cast<std::size_t>(to), tag}].push_back(std::move(message));
  Fibres::current()->note_progress();
  return MPI_SUCCESS;
}

int MPI_Irecv(void* memory, int count, MPI_Datatype, int from, int tag, MPI_Comm communicator, MPI_Request* request) {
  call("MPI_Irecv");
  *request = add_request(communicator->rank, memory, count, from, tag);
  FakeMpi::current()->state().expected[{static_cast<std::size_t>(from), communicator->rank, tag}].push_back(*request);
  return MPI_SUCCESS;
}

int MPI_Testall(int count, MPI_Request* requests, int* done, MPI_Status*) {
  call("MPI_Testall");
  *done = std::all_of(requests, requests + count, is_complete);
  int result = MPI_SUCCESS;
  if (*done)
    for (int i = 0; i < count; ++i)
      if (requests[i] != MPI_REQUEST_NULL && finish(&requests[i], nullptr) != MPI_SUCCESS) result = MPI_ERR_IN_STATUS;
  return result;
}

int MPI_Testsome(int count, MPI_Request* requests, int* completed, int* places, MPI_Status* statuses) {
  auto& all = FakeMpi::current()->state();
  if (all.polls_first) call("MPI_Testsome");
  const int result = some(count, requests, completed, places, statuses);
  if (!all.polls_first && *completed == 0) call("MPI_Testsome");
  return result;
}

int MPI_Wait(MPI_Request* request, MPI_Status* status) {
  for (call("MPI_Wait"); !is_complete(*request); FakeMpi::current()->progress()) Fibres::current()->give_way("MPI_Wait", nullptr);
  return *request == MPI_REQUEST_NULL ? MPI_SUCCESS : finish(request, status);
}

int MPI_Waitall(int count, MPI_Request* requests, MPI_Status*) {
  int result = MPI_SUCCESS;
  for (int i = 0; i < count; ++i)
    if (MPI_Wait(&requests[i], nullptr) != MPI_SUCCESS) result = MPI_ERR_IN_STATUS;
  return result;
}

int MPI_Waitsome(int count, MPI_Request* requests, int* completed, int* places, MPI_Status* statuses) {
  while (true) {
    call("MPI_Waitsome");
    const int result = some(count, requests, completed, places, statuses);
    if (*completed != 0) return result;
    Fibres::current()->give_way("MPI_Waitsome", nullptr);
  }
}

int MPI_Request_get_status(MPI_Request request, int* done, MPI_Status*) {
  if (!is_complete(request)) call("MPI_Request_get_status");
  *done = is_complete(request);
  return MPI_SUCCESS;
}

int MPI_Cancel(MPI_Request* request) {
  (*request)->is_cancelled = true;
  for (auto& [key, receives] : FakeMpi::current()->state().expected) std::erase(receives, *request);
  return MPI_SUCCESS;
}

int MPI_Request_free(MPI_Request* request) {
  *request = MPI_REQUEST_NULL;
  return MPI_SUCCESS;
}

int MPI_Iprobe(int from, int tag, MPI_Comm communicator, int* found, MPI_Status* status) {
  call("MPI_Iprobe");
  *found = 0;
  for (const auto& message : FakeMpi::current()->state().sent[{static_cast<std::size_t>(from), communicator->rank, tag}]) {
    if (message.receive) continue;
    if (message.missing_calls > 0) break;
    *found = 1;
    if (status) *status = {from, tag, MPI_SUCCESS, static_cast<int>(message.bytes)};
    break;
  }
  return MPI_SUCCESS;
}

int MPI_Get_count(const MPI_Status* status, MPI_Datatype, int* count) {
  *count = status->bytes;
  return MPI_SUCCESS;
}

int MPI_Error_class(int code, int* kind) {
  *kind = code;
  return MPI_SUCCESS;
}

int MPI_Error_string(int code, char* text, int* length) {
  const char* const what = code == MPI_ERR_TRUNCATE ? "message truncated" : "an error in a status";
  std::strcpy(text, what);
  *length = static_cast<int>(std::strlen(what));
  return MPI_SUCCESS;
}
