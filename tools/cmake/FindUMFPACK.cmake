# Finds UMFPACK of SuiteSparse, which Debian ships without a CMake package,
# and defines UMFPACK::UMFPACK.
find_path(UMFPACK_INCLUDE_DIR umfpack.h PATH_SUFFIXES suitesparse)
set(umfpack_libraries)
foreach(name umfpack cholmod amd suitesparseconfig)
  find_library(UMFPACK_${name}_LIBRARY ${name})
  mark_as_advanced(UMFPACK_${name}_LIBRARY)
  list(APPEND umfpack_libraries UMFPACK_${name}_LIBRARY)
endforeach()
mark_as_advanced(UMFPACK_INCLUDE_DIR)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(UMFPACK
  REQUIRED_VARS UMFPACK_umfpack_LIBRARY UMFPACK_INCLUDE_DIR ${umfpack_libraries}
  REASON_FAILURE_MESSAGE
    "On Debian: apt-get install libsuitesparse-dev, or configure with -DDAE_UMFPACK=OFF")

if(UMFPACK_FOUND AND NOT TARGET UMFPACK::UMFPACK)
  add_library(UMFPACK::UMFPACK UNKNOWN IMPORTED)
  set_target_properties(UMFPACK::UMFPACK PROPERTIES
    IMPORTED_LOCATION "${UMFPACK_umfpack_LIBRARY}"
    INTERFACE_INCLUDE_DIRECTORIES "${UMFPACK_INCLUDE_DIR}"
    INTERFACE_LINK_LIBRARIES
      "${UMFPACK_cholmod_LIBRARY};${UMFPACK_amd_LIBRARY};${UMFPACK_suitesparseconfig_LIBRARY}")
endif()
