# How the build finds Open MPI (cmake/mpi_plug_ins.cmake).
set(openmpi_wrappers mpicxx.openmpi mpicxx)
set(openmpi_question --showme:version)
set(openmpi_answer "Open MPI")
set(openmpi_compile --showme:compile)
set(openmpi_link --showme:link)
set(openmpi_definitions OMPI_SKIP_MPICXX)
set(openmpi_libraries mpi)
