# Finds KLU of SuiteSparse, which Debian ships without a CMake package, and
# defines KLU::KLU.
find_path(KLU_INCLUDE_DIR klu.h PATH_SUFFIXES suitesparse)
set(klu_libraries)
foreach(name klu btf amd colamd suitesparseconfig)
  find_library(KLU_${name}_LIBRARY ${name})
  mark_as_advanced(KLU_${name}_LIBRARY)
  list(APPEND klu_libraries KLU_${name}_LIBRARY)
endforeach()
mark_as_advanced(KLU_INCLUDE_DIR)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(KLU
  REQUIRED_VARS KLU_klu_LIBRARY KLU_INCLUDE_DIR ${klu_libraries}
  REASON_FAILURE_MESSAGE "On Debian: apt-get install libsuitesparse-dev")

if(KLU_FOUND AND NOT TARGET KLU::KLU)
  add_library(KLU::KLU UNKNOWN IMPORTED)
  set_target_properties(KLU::KLU PROPERTIES
    IMPORTED_LOCATION "${KLU_klu_LIBRARY}"
    INTERFACE_INCLUDE_DIRECTORIES "${KLU_INCLUDE_DIR}"
    INTERFACE_LINK_LIBRARIES
      "${KLU_btf_LIBRARY};${KLU_amd_LIBRARY};${KLU_colamd_LIBRARY};${KLU_suitesparseconfig_LIBRARY}")
endif()
