! SPDX-License-Identifier: BSD-3-Clause
! Two or more ranks call collectives, messages and functions that make communicators by one of the three bindings (BINDING_MPIFH,
! BINDING_MPI or BINDING_F08), for a recording to show.
#if defined(BINDING_F08)
#define HANDLE(kind) type(kind)
#else
#define HANDLE(kind) integer
#endif
program recorded
#if defined(BINDING_F08)
  use mpi_f08
#elif defined(BINDING_MPI)
  use mpi
#endif
  implicit none
#if defined(BINDING_MPIFH)
  include 'mpif.h'
#endif
  integer :: n, me, ierr, i
  logical :: is_there
  integer :: input(4000), output(4000)
  HANDLE(MPI_Request) :: request
  HANDLE(MPI_Comm) :: half, twin
#if defined(BINDING_F08)
  type(MPI_Status) :: status
#else
  integer :: status(MPI_STATUS_SIZE)
#endif
  call MPI_Init(ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, n, ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, me, ierr)
  input = me
  do i = 1, 30
    call MPI_Alltoall(input, 25, MPI_INTEGER, output, 25, MPI_INTEGER, MPI_COMM_WORLD, ierr)
  end do
  call MPI_Comm_split(MPI_COMM_WORLD, mod(me, 2), me, half, ierr)
  call MPI_Comm_dup(half, twin, ierr)
  do i = 1, 4
    call MPI_Barrier(twin, ierr)
  end do
  do i = 1, 3
    call MPI_Ibcast(input, 10, MPI_INTEGER, 0, MPI_COMM_WORLD, request, ierr)
    call MPI_Wait(request, MPI_STATUS_IGNORE, ierr)
  end do
  do i = 1, 5
    if (me == 0) call MPI_Send(input, 2, MPI_INTEGER, 1, 1, MPI_COMM_WORLD, ierr)
    if (me == 1) then
      is_there = .false.
      do while (.not. is_there)
        call MPI_Iprobe(0, 1, MPI_COMM_WORLD, is_there, status, ierr)
      end do
      call MPI_Recv(output, 2, MPI_INTEGER, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
    end if
  end do
  call MPI_Comm_free(twin, ierr)
  if (n > 1) print *, 'all as expected'
  call MPI_Finalize(ierr)
end program recorded
