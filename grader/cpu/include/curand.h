#pragma once

#include "cuda_on_cpu/random_host.hpp"
