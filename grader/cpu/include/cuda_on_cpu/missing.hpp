// CUDA names that do not exist here: a call does not compile, and the message names the function
// and says where to read what does exist. Any other missing name is undeclared, and the compiler
// says so.
#pragma once

#pragma GCC visibility push(default)

#define CUDA_ON_CPU_MISSING(name)                                         \
  template <class... Argument>                                            \
  void name(Argument &&...) {                                             \
    static_assert(sizeof...(Argument) > 1000, #name                       \
                  " does not exist in CUDA on the CPU: 'What exists' in " \
                  "grader/cpu/README.md lists what does");                \
  }

// More than one device in a launch, or more than one process on one.
CUDA_ON_CPU_MISSING(cudaIpcGetMemHandle)
CUDA_ON_CPU_MISSING(cudaIpcOpenMemHandle)
CUDA_ON_CPU_MISSING(cudaIpcCloseMemHandle)
CUDA_ON_CPU_MISSING(cudaIpcGetEventHandle)
CUDA_ON_CPU_MISSING(cudaIpcOpenEventHandle)
CUDA_ON_CPU_MISSING(cudaLaunchCooperativeKernelMultiDevice)
// Pools of other processes.
CUDA_ON_CPU_MISSING(cudaMemPoolExportPointer)
CUDA_ON_CPU_MISSING(cudaMemPoolImportPointer)
CUDA_ON_CPU_MISSING(cudaMemPoolExportToShareableHandle)
CUDA_ON_CPU_MISSING(cudaMemPoolImportFromShareableHandle)
CUDA_ON_CPU_MISSING(cudaMemRangeGetAttribute)
// Graphs that change or branch.
CUDA_ON_CPU_MISSING(cudaGraphRemoveDependencies)
CUDA_ON_CPU_MISSING(cudaGraphGetEdges)
CUDA_ON_CPU_MISSING(cudaGraphAddNode)
CUDA_ON_CPU_MISSING(cudaGraphAddEventRecordNode)
CUDA_ON_CPU_MISSING(cudaGraphAddEventWaitNode)
CUDA_ON_CPU_MISSING(cudaGraphConditionalHandleCreate)
CUDA_ON_CPU_MISSING(cudaGraphKernelNodeSetParams)
CUDA_ON_CPU_MISSING(cudaGraphKernelNodeGetParams)
CUDA_ON_CPU_MISSING(cudaStreamGetCaptureInfo)
CUDA_ON_CPU_MISSING(cudaStreamUpdateCaptureDependencies)
// Textures.
CUDA_ON_CPU_MISSING(cudaMallocMipmappedArray)
CUDA_ON_CPU_MISSING(cudaGetMipmappedArrayLevel)
CUDA_ON_CPU_MISSING(cudaMemcpy2DArrayToArray)
// Other interfaces.
CUDA_ON_CPU_MISSING(cudaGetDriverEntryPoint)
CUDA_ON_CPU_MISSING(cudaImportExternalMemory)
CUDA_ON_CPU_MISSING(cudaImportExternalSemaphore)
#undef CUDA_ON_CPU_MISSING

// Textures in kernels have the value's type as a template argument.
#define CUDA_ON_CPU_MISSING(name)                                         \
  template <class T, class... Argument>                                   \
  T name(Argument &&...) {                                                \
    static_assert(sizeof(T) == 0, #name                                   \
                  " does not exist in CUDA on the CPU: 'What exists' in " \
                  "grader/cpu/README.md lists what does");                \
  }
CUDA_ON_CPU_MISSING(texCubemap)
CUDA_ON_CPU_MISSING(texCubemapLayered)
CUDA_ON_CPU_MISSING(tex1DLod)
CUDA_ON_CPU_MISSING(tex2DLod)
CUDA_ON_CPU_MISSING(tex3DLod)
CUDA_ON_CPU_MISSING(tex2DGrad)
CUDA_ON_CPU_MISSING(tex2Dgather)
CUDA_ON_CPU_MISSING(surfCubemapread)
#undef CUDA_ON_CPU_MISSING

#pragma GCC visibility pop
