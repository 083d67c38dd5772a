# add_kernels(<target> <file.cu>): adds CUDA code to a target, compiled for this preset's backend:
# by nvcc for the GPU, or rewritten to C++ and compiled by the host compiler for the CPU.
if(WARPWISE_GPU)
  if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
    # Without a GPU in sight there is no "native": Turing, Ampere and Hopper stand for the rest.
    execute_process(COMMAND nvidia-smi -L OUTPUT_VARIABLE gpus ERROR_QUIET)
    if(gpus MATCHES "^GPU")
      set(CMAKE_CUDA_ARCHITECTURES native)
    else()
      set(CMAKE_CUDA_ARCHITECTURES 75 80 90)
    endif()
  endif()
  enable_language(CUDA)
  if(WARPWISE_FAST_COMPILE)  # to see whether nvcc takes it, a third of the time is enough
    include(CheckCompilerFlag)
    check_compiler_flag(CUDA --Ofast-compile=max NVCC_COMPILES_FAST)  # since CUDA 12.8 or so
    if(NVCC_COMPILES_FAST)
      add_compile_options($<$<COMPILE_LANGUAGE:CUDA>:--Ofast-compile=max>)
    endif()
  endif()
  find_package(CUDAToolkit REQUIRED)
  add_library(cuda_backend INTERFACE)
  target_link_libraries(cuda_backend INTERFACE CUDA::cudart_static)
  target_compile_definitions(cuda_backend INTERFACE WARPWISE_GPU)

  function(add_kernels target source)
    target_sources(${target} PRIVATE ${source})
    # 177: "declared but never referenced", which is what every unsolved stage looks like.
    set_source_files_properties(${source} PROPERTIES COMPILE_OPTIONS "-lineinfo;-diag-suppress=177")
  endfunction()
else()
  add_subdirectory(grader/cpu)
  add_library(cuda_backend INTERFACE)
  target_link_libraries(cuda_backend INTERFACE cuda_on_cpu)

  function(add_kernels target source)
    add_cuda_on_cpu_object(object ${source} -I${PROJECT_SOURCE_DIR}/labs/kit ${ARGN})
    target_sources(${target} PRIVATE ${object})
  endfunction()
endif()
