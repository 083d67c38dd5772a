"""What CUDA on the CPU leaves out, in one sentence, where a compiler would say it in thousands."""

import re

NO_HEADER = re.compile(r"fatal error: ([\w./-]+): No such file or directory")
FROM_HEADER = re.compile(r"from /\S*/include/(?:cccl/)?([\w./-]+):\d+")
NO_NAME = re.compile(
    r"error: ‘(cu(?:blas|rand)?[A-Z]\w+|CU[a-z]\w+|cuda[A-Z]\w+|__[fd]\w+_r[duz]|__cvta_\w+)’ "
    r"(?:was not declared|has not been declared|does not name a type)(?!.*did you mean ‘cuda)"
)
REFUSED = re.compile(r"error: static assertion failed: (\w+) does not exist in CUDA on the CPU")
NOT_LINKED = re.compile(r"undefined reference to `(cu[a-z]+|npp|nccl|nvrtc|gl[a-z]*)[A-Z]\w*'")
ASSEMBLY = re.compile(
    r"^([^\s:]+:\d+):.*(?:impossible constraint in ‘asm’|Error: no such instruction|Error: junk|"
    r"constraint \d+ must specify a single register)",
    re.MULTILINE,
)
BOUND = re.compile(
    r"^([^\s:]+:\d+):\d+: error: no matching function for call to ‘shared_variable<.*\[\w+\]", re.M
)
# What cub's documentation has, and the CPU backend has not.
OF_CUB = re.compile(
    r"error: ‘(?:cub::)?(Warp(?:Load|Store|Exchange|MergeSort)|Block(?:RunLengthDecode|RadixRank)|"
    r"Device(?:Copy|Memcpy|Merge|Find|Spmv|TopK|Transform)|Grid(?:Barrier|EvenShare|Queue)\w*|"
    r"Agent[A-Z]\w+|FutureValue|\w*TileState|TilePrefixCallbackOp|Tex(?:Obj|Ref)InputIterator|"
    r"CacheModifiedOutputIterator|Shuffle(?:Up|Down|Index)|BFE|BFI|PtxVersion|SmVersion)’ "
    r"(?:is not a member of ‘cub|in namespace ‘cub’ does|has not been declared|was not declared)"
)
LIBRARIES = {
    r"cublas(?!_v2)\w*\.h": "this interface of cuBLAS (cublas_v2.h is there)",
    r"cufft\w*\.h": "cuFFT",
    r"cusparse\w*\.h": "cuSPARSE",
    r"cusolver\w*\.h": "cuSOLVER",
    r"curand_(?!kernel).*": "this part of cuRAND (curand.h and curand_kernel.h are there)",
    r"cudnn.*": "cuDNN",
    r"nccl.*": "NCCL",
    r"npp.*|nv(jpeg|graph)\w*\.h": "NVIDIA's image libraries",
    r"nvrtc\.h": "compiling at run time (NVRTC)",
    r"nvml\.h": "NVML",
    r"crt/mma.*": "matrix units (wmma)",
    r"(GL|EGL|GLES\d?|GLFW|vulkan)/.*|.*glut.*|(helper_|cuda_)?gl[a-z_]*\.h": "graphics",
    r"cuda(E?GL|VDPAU)\w*\.h": "graphics",
    r"cub/.*": "this part of cub",
    r"thrust/.*": "Thrust",
    r"cuda/(std/|functional).*": "libcu++",
    r"cuda/(semaphore|latch|annotated_ptr).*": "this header",
    r"mpi\.h": "MPI",
}
OWN_HEADERS_SERVE = re.compile(r"thrust/.*|cuda/.*")  # where they are found
PARTS = {  # of the runtime's interface
    r"cuda\w*(Cubemap|Mipmapped)\w*": "cube maps and mipmaps",
    r"cuda(DeviceGetGraph|DeviceSetGraph|Graph)Mem\w*": "this part of the memory of graphs",
    r"cudaGraph(Conditional|CondType)\w*": "conditional nodes of graphs",
    r"cuda(Ipc|External|MemPool|MemAccess|MemAllocation|MemHandle)\w*":
        "memory of other processes",
    r"__[fd]\w+_r[duz]": "other rounding modes",
    r"wmma": "matrix units",
    r"__cvta_\w+": "a GPU's assembly, for which this makes addresses",
}


def sentence(said: str) -> str:
    """Why a program cannot be compiled here, if `said` shows that; otherwise ""."""
    # A toolkit's own headers may be there. They do not fit the ones of the CPU backend.
    found = [name for name in FROM_HEADER.findall(said) if not OWN_HEADERS_SERVE.fullmatch(name)]
    for header in (*NO_HEADER.findall(said), *found):
        if library := _library(header):
            return _left_out(f"{library} ({header}{_instead(header)})")
    if name := NO_NAME.search(said) or REFUSED.search(said):
        return _no_name(name[1])
    if name := OF_CUB.search(said):
        return _left_out(f"this part of cub (cub::{name[1]})")
    if symbol := NOT_LINKED.search(said):
        if library := _library(f"{symbol[1]}.h"):
            return _left_out(library)
    if place := BOUND.search(said):
        return (f"{place[1]}: the size of a __shared__ array must be a constant; for a size that "
                "is known at run time write extern __shared__.")  # fmt: skip
    if place := ASSEMBLY.search(said):
        return _left_out(f"a GPU's assembly (inline PTX at {place[1]})")
    return ""


def _library(header: str) -> str:
    return next((name for pattern, name in LIBRARIES.items() if re.fullmatch(pattern, header)), "")


def _instead(header: str) -> str:
    # C++20, which is compiled here, has none of those left out; "_" begins libcu++'s inner headers.
    of_cpp = re.fullmatch(r"cuda/std/((?!mdspan|expected|linalg|inplace_vector)[a-z]\w*)", header)
    return f"; C++'s own <{of_cpp[1]}> serves" if of_cpp else ""


def _no_name(name: str) -> str:
    for pattern, part in PARTS.items():
        if re.fullmatch(pattern, name):
            return _left_out(f"{part} ({name})")
    is_drivers = re.match(r"cu[A-Z]|CU", name)
    return _left_out(f"the driver API ({name})" if is_drivers else name)


def _left_out(what: str) -> str:
    return (f"CUDA on the CPU does not have {what}; 'What exists' in grader/cpu/README.md lists "
            "what it has.")  # fmt: skip
