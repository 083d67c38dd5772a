// One header holds all algorithms of cooperative groups.
#pragma once
#include "../cuda_on_cpu/group_algorithms.hpp"
