"""What a submission's object file may ask other libraries for, beyond CUDA.

Names are those of the C library, its mathematics, the C++ library and the compiler's own helpers.
A C++ name is given as the beginning of its mangled form, so that every overload and every version
of the library is meant. The names of CUDA are in surface.py.
"""

import re

# memory, text, numbers, output, time: nothing here opens, sends, starts or waits for anything
C_NAMES = frozenset("""
    memcpy memmove memset memcmp memchr memrchr mempcpy bcmp bcopy bzero memmem
    strlen strnlen strcpy strncpy stpcpy stpncpy strcat strncat strcmp strncmp strcasecmp
    strncasecmp strchr strrchr strchrnul strstr strpbrk strspn strcspn strtok strtok_r strdup
    strndup strcoll strxfrm strerror strerror_r strsep
    wcslen wmemcpy wmemmove wmemset wmemcmp wmemchr wcscmp
    malloc calloc realloc reallocarray free aligned_alloc posix_memalign memalign
    printf fprintf sprintf snprintf vprintf vfprintf vsprintf vsnprintf puts fputs putchar putc
    fputc _IO_putc fwrite fflush perror stdout stderr asprintf vasprintf sscanf vsscanf
    atoi atol atoll atof strtol strtoll strtoul strtoull strtof strtod strtold
    abs labs llabs div ldiv lldiv rand srand rand_r random srandom drand48 srand48 lrand48
    qsort qsort_r bsearch
    abort exit __assert_fail __assert_perror_fail __assert
    time clock clock_gettime gettimeofday difftime
    isalnum isalpha iscntrl isdigit isgraph islower isprint ispunct isspace isupper isxdigit
    tolower toupper __ctype_b_loc __ctype_tolower_loc __ctype_toupper_loc __ctype_get_mb_cur_max
    __errno_location __stack_chk_fail __fdelt_chk __libc_single_threaded
    pthread_mutex_lock pthread_mutex_unlock pthread_mutex_trylock pthread_mutex_init
    pthread_mutex_destroy pthread_once __pthread_key_create
    sched_yield atexit
""".split())  # fmt: skip

M_NAMES = frozenset("""
    acos acosh asin asinh atan atan2 atanh cbrt ceil copysign cos cosh erf erfc exp exp2 exp10 expm1
    fabs fdim floor fma fmax fmin fmod frexp hypot ilogb ldexp lgamma llrint llround log log10 log1p
    log2 logb lrint lround modf nan nearbyint nextafter nexttoward pow remainder remquo rint round
    roundeven scalbln scalbn sin sincos sinh sqrt tan tanh tgamma trunc j0 j1 jn y0 y1 yn
    cabs carg cexp clog cpow csqrt csin ccos ctan csinh ccosh ctanh cproj conj creal cimag
    __fpclassify __isinf __isnan __finite __signbit __isfinite
    cospi sinpi tanpi rcbrt rsqrt erfinv erfcinv erfcx normcdf normcdfinv norm3d rnorm3d norm4d
    rnorm4d rhypot sincospi cyl_bessel_i0 cyl_bessel_i1
""".split())  # fmt: skip

# How a compiled C++ program handles exceptions, static variables, threads' own variables and what
# is called once.
CXX_RUNTIME = frozenset("""
    __gxx_personality_v0 __cxa_allocate_exception __cxa_free_exception __cxa_throw __cxa_rethrow
    __cxa_begin_catch __cxa_end_catch __cxa_get_exception_ptr __cxa_current_exception_type
    __cxa_throw_bad_array_new_length __cxa_throw_bad_array_length __cxa_bad_cast __cxa_bad_typeid
    __cxa_guard_acquire __cxa_guard_release __cxa_guard_abort __cxa_pure_virtual
    __cxa_deleted_virtual __cxa_atexit __cxa_thread_atexit __cxa_init_primary_exception
    __cxa_call_terminate __cxa_call_unexpected __cxa_demangle __dynamic_cast __dso_handle
    __cxa_vec_new __cxa_vec_new2 __cxa_vec_new3 __cxa_vec_delete __cxa_vec_delete2
    __cxa_vec_delete3 __cxa_vec_ctor __cxa_vec_cctor __cxa_vec_dtor __cxa_vec_cleanup
    _Unwind_Resume _GLOBAL_OFFSET_TABLE_ __tls_get_addr
    __once_proxy _ZSt15__once_callable _ZSt11__once_call
""".split())  # fmt: skip

# libgcc's arithmetic: __popcountdi2, __udivti3, __mulsc3, __extendhfsf2, __floattidf.
ARITHMETIC = re.compile(r"__[a-z]+?(?:[qhsdt]i|[hsdtxb]f|[hsdtx]c){1,2}[1-4]?")

# A member function may end in const, & or && (K, R, O): `str() const &` begins with _ZNKRSt.
_STD = "_ZN?K?[RO]?St"
_PARTS = (
    # std's functions: errors, streams, trees, hashes, numbers
    r"\d+__throw_\w+|21__glibcxx_assert_fail\w*|9terminatev|19uncaught_exceptionsv|"
    r"18uncaught_exceptionv|17current_exceptionv|17rethrow_exception\w+|7nothrow|"
    r"4c(?:out|err)|4clog|3cin|4endl\w+|4ends\w+|5flush\w+|16__ostream_insert\w+|lsI\w+|rsI\w+|"
    r"pl[IL]\w+|7getline\w+|18_Rb_tree_\w+|2[0-9]_Rb_tree_\w+|29_Rb_tree_\w+|11_Hash_bytesPKvmm|"
    r"15_Fnv_hash_bytesPKvmm|8to_chars\w+|10from_chars\w+|9use_facet\w+|9has_facet\w+|"
    # its classes
    r"7__cxx1112basic_stringI\w+|7__cxx11\d+basic_\w*string(?:stream|buf)I\w+|7__cxx119to_string\w+|"
    r"7__cxx11(?:10moneypunct|8numpunct|7collate|8messages)\w+|15basic_streambufI\w+|9basic_iosI\w+|"
    r"8ios_base\w+|21ios_base_library_initv|6locale\w+|5ctypeI\w+|7num_(?:put|get)I\w+|1[34]basic_[oi]streamI\w+|"
    r"1[34]basic_iostreamI\w+|12placeholders2_\d+|"
    r"9exception\w+|13runtime_error\w+|11logic_error\w+|12(?:length|domain)_error\w+|"
    r"12out_of_range\w+|16invalid_argument\w+|11(?:range)_error\w+|14overflow_error\w+|"
    r"15underflow_error\w+|9bad_alloc\w+|8bad_cast\w+|10bad_typeid\w+|20bad_array_new_length\w+|"
    r"17bad_function_call\w+|12bad_weak_ptr\w+|12system_error\w+|10error_code\w+|3_V2\d+\w+|"
    r"15__exception_ptr\w+|9type_info\w+|6chrono3_V2\d+\w+|8__detail\d+(?:_List_node_base|"
    r"_Prime_rehash_policy|__to_chars)\w+|3pmr\w+|10_Sp_locker\w+|15_Sp_counted_base\w+"
)  # fmt: skip
CXX_LIBRARY = re.compile(
    rf"{_STD}(?:{_PARTS})|"
    r"_ZNK?[RO]?S[aois]\w+|_ZT[ISVT]S[aois]|"  # streams and strings, which have short names
    r"_Zn[wa][mj]\w*|_Zd[la]Pv\w*|"  # new and delete
    r"_ZT[ISV]N10__cxxabiv1\d+__\w+|"  # what the compiler builds type information from
    r"_ZT[ISV](?:St|NSt)\w+|_ZT[IS](?:P|PK)?[a-z]|_ZT[IS](?:P|PK)?D[nisu]|_ZTT\w+|"
    r"_ZNK?10__cxxabiv1\d+__\w*class_type_info\w+|_ZN9__gnu_cxx\d+__(?:verbose_terminate|concat)\w+"
)
NOT_THESE = re.compile(r"_ZT?[ISVT]?N?K?[RO]?St\d+basic_(?:[io]?fstream|filebuf)\w*")

# What a kernel may call of them: nvcc knows no other functions of the libraries on the device. What
# throws is in containers' code that no kernel comes to.
FOR_KERNELS = frozenset("""
    memcpy memmove memset memcmp malloc free printf puts putchar vprintf __assert_fail abort
    clock clock_gettime
    __stack_chk_fail
""".split())  # fmt: skip
# What the compiler writes for classes and for what may throw. The others of CXX_RUNTIME store to
# memory that the caller names, and a device has none of them.
_OF_THE_COMPILER = frozenset("""
    __gxx_personality_v0 _Unwind_Resume __cxa_pure_virtual __cxa_deleted_virtual
    __cxa_throw_bad_array_new_length __cxa_throw_bad_array_length __cxa_call_terminate
    __cxa_call_unexpected __cxa_allocate_exception __cxa_free_exception __cxa_throw __cxa_rethrow
    __cxa_begin_catch __cxa_end_catch __dso_handle _GLOBAL_OFFSET_TABLE_ __tls_get_addr
""".split())  # fmt: skip
# An error's constructor is not among them: it stores a copy of a text where its caller wants.
_ALLOCATES_OR_THROWS = re.compile(
    r"_Zn[wa][mj]\w*|_Zd[la]Pv\w*|_ZSt\d+__(?:throw_|glibcxx_assert_fail)\w+|_ZSt9terminatev|"
    r"_ZT\w+|_ZNK?St\d+\w*(?:exception|error|bad_)\w*(?:D[012]|4what)Ev"
)

# Of the C library: what a program may take the address of. The others store to memory that their
# caller names, and no name leads from a kernel to what it calls through a pointer. std::to_string
# and std::stoi take those of vsnprintf and strtol, which the checker sees (checker/tsan_abi.cpp).
_BY_POINTER = frozenset("""
    free malloc abort exit atexit stdout stderr
    memcmp memchr strlen strnlen strcmp strncmp strcasecmp strncasecmp strcoll strchr strrchr strstr
    atoi atol atoll atof abs labs llabs rand random
    isalnum isalpha iscntrl isdigit isgraph islower isprint ispunct isspace isupper isxdigit
    tolower toupper __libc_single_threaded __stack_chk_fail
    vsnprintf strtol strtoll strtoul strtoull strtof strtod strtold
""".split())  # fmt: skip
_STORES = frozenset("frexp modf remquo sincos sincospi lgamma".split())  # of the mathematics
# Of the C++ library: streams and strings, but for what ends them.
_STRING = re.compile(
    r"_ZNK?[RO]?S[as]\w+|_ZNK?[RO]?St7__cxx1112basic_stringI\w+|_ZSt(?:plI|lsI|rsI|7getline)\w+"
)
_STREAM_OR_STRING = re.compile(
    r"_ZNK?[RO]?S(?:[aiosd]|t(?:7__cxx11)?\d+basic_)\w+|"
    r"_ZNK?St(?:8to_chars|10from_chars|7num_|5ctype)\w+|"
    r"_ZNK?St7__cxx11\d+(?:collate|messages|moneypunct|numpunct)\w+|"
    r"_ZSt(?:ls|rs|7getline|16__ostream)\w+"
)
_ENDS = re.compile(r"\w+D[012]Ev")

LONGEST = 1000  # characters: names of the libraries are shorter
_VARIANTS = re.compile(r"__(?P<checked>\w+)_chk|__isoc(?:99|23)_(?P<iso>\w+)")


def is_common(name: str) -> bool:
    """Whether `name` is of the libraries that every program may use."""
    if len(name) > LONGEST:
        return False
    if match := _VARIANTS.fullmatch(name):
        name = match["checked"] or match["iso"]
    return (
        name in C_NAMES
        or name in CXX_RUNTIME
        or is_mathematics(name)
        or ARITHMETIC.fullmatch(name) is not None
        or (CXX_LIBRARY.fullmatch(name) is not None and not NOT_THESE.fullmatch(name))
    )


def is_for_kernels(name: str) -> bool:
    """Whether a kernel may call `name` of the libraries that every program may use."""
    if match := _VARIANTS.fullmatch(name):
        name = match["checked"] or match["iso"]
    return (
        name in FOR_KERNELS
        or name in _OF_THE_COMPILER
        or is_mathematics(name)
        or ARITHMETIC.fullmatch(name) is not None
        or _ALLOCATES_OR_THROWS.fullmatch(name) is not None
    )


def is_for_pointers(name: str) -> bool:
    """Whether a program may take the address of `name` of these libraries."""
    if match := _VARIANTS.fullmatch(name):
        name = match["checked"] or match["iso"]
    if name in C_NAMES or name.startswith("__cxa_guard"):
        return name in _BY_POINTER
    if is_mathematics(name):
        return name.rstrip("fl") not in _STORES and name not in _STORES
    return _ENDS.fullmatch(name) is not None or not _STREAM_OR_STRING.fullmatch(name)


def is_of_strings(name: str) -> bool:
    """A function of std::string: it reads its object in the program's code, where that is seen."""
    return _STRING.fullmatch(name) is not None


def is_mathematics(name: str) -> bool:
    """A function for double, or its twin for float or long double."""
    plain = name.removeprefix("__").removesuffix("_finite") if name.endswith("_finite") else name
    return plain in M_NAMES or (plain[-1:] in ("f", "l") and plain[:-1] in M_NAMES)
