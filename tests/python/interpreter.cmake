# Sets `python` to the interpreter that runs the tests of the Python module: the one for which the module was built, or the system's if
# that one has no numpy and the system's is of the same version.
set(python ${QUADRILLE_PYTHON_PROGRAM})
set(print_version "import sys, numpy; print('%d.%d' % sys.version_info[:2])")
foreach(candidate ${QUADRILLE_PYTHON_PROGRAM} /usr/bin/python3)
  execute_process(COMMAND ${candidate} -c "${print_version}" OUTPUT_VARIABLE version ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(version STREQUAL QUADRILLE_PYTHON_VERSION)
    set(python ${candidate})
    break()
  endif()
endforeach()
set(python_environment "PYTHONPATH=${QUADRILLE_PYTHON_FOLDER}" PYTHONDONTWRITEBYTECODE=1 QUADRILLE_WISDOM=off)
