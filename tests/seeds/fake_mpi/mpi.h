// SPDX-License-Identifier: BSD-3-Clause
// The part of MPI's C interface that the messages between nodes use, for simulated ranks (fake_mpi.cpp). What is only declared is
// never called in a run.
#pragma once

#include <cstdint>

struct FakeComm;
struct FakeRequest;
struct FakeGroup;
using MPI_Comm = FakeComm*;
using MPI_Request = FakeRequest*;
using MPI_Group = FakeGroup*;
using MPI_Datatype = int;
using MPI_Op = int;
struct MPI_Status {
  int MPI_SOURCE, MPI_TAG, MPI_ERROR, bytes;
};

constexpr int MPI_SUCCESS = 0, MPI_ERR_TRUNCATE = 15, MPI_ERR_IN_STATUS = 18, MPI_MAX_ERROR_STRING = 256, MPI_UNDEFINED = -32766;
constexpr MPI_Datatype MPI_BYTE = 1, MPI_DATATYPE_NULL = 0;
constexpr int MPI_KEYVAL_INVALID = -1;
using MPI_T_cvar_handle = void*;
inline constexpr MPI_Request MPI_REQUEST_NULL = nullptr;
inline constexpr MPI_Comm MPI_COMM_NULL = nullptr;
inline constexpr MPI_Group MPI_GROUP_NULL = nullptr;
inline MPI_Status* const MPI_STATUS_IGNORE = nullptr;
inline MPI_Status* const MPI_STATUSES_IGNORE = nullptr;

int MPI_Isend(const void* memory, int count, MPI_Datatype, int to, int tag, MPI_Comm, MPI_Request* request);
int MPI_Irecv(void* memory, int count, MPI_Datatype, int from, int tag, MPI_Comm, MPI_Request* request);
int MPI_Testall(int count, MPI_Request* requests, int* done, MPI_Status* statuses);
int MPI_Testsome(int count, MPI_Request* requests, int* completed, int* places, MPI_Status* statuses);
int MPI_Wait(MPI_Request* request, MPI_Status* status);
int MPI_Waitall(int count, MPI_Request* requests, MPI_Status* statuses);
int MPI_Waitsome(int count, MPI_Request* requests, int* completed, int* places, MPI_Status* statuses);
int MPI_Request_get_status(MPI_Request request, int* done, MPI_Status* status);
int MPI_Cancel(MPI_Request* request);
int MPI_Request_free(MPI_Request* request);
int MPI_Iprobe(int from, int tag, MPI_Comm, int* found, MPI_Status* status);
int MPI_Get_count(const MPI_Status* status, MPI_Datatype, int* count);
int MPI_Error_class(int code, int* kind);
int MPI_Error_string(int code, char* text, int* length);

int MPI_Comm_group(MPI_Comm, MPI_Group*);
int MPI_Group_free(MPI_Group*);
