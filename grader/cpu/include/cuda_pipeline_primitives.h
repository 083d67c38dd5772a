#pragma once

#include "cuda_on_cpu/pipeline.hpp"
