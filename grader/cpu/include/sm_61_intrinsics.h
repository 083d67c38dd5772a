// The CPU backend has one vocabulary; every CUDA header name leads to it.
#pragma once
#include "cuda_runtime.h"
