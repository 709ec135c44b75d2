# Finds UMFPACK of SuiteSparse, which Debian ships without a CMake package: its
# headers and UMFPACK_LIBRARY, the shared library, which is loaded when a model
# needs it.
find_path(UMFPACK_INCLUDE_DIR umfpack.h PATH_SUFFIXES suitesparse)
find_library(UMFPACK_LIBRARY umfpack)
mark_as_advanced(UMFPACK_INCLUDE_DIR UMFPACK_LIBRARY)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(UMFPACK
  REQUIRED_VARS UMFPACK_LIBRARY UMFPACK_INCLUDE_DIR
  REASON_FAILURE_MESSAGE
    "On Debian: apt-get install libsuitesparse-dev, or configure with -DDAE_UMFPACK=OFF")
