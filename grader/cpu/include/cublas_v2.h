#pragma once

#include "cuda_on_cpu/blas.hpp"
