#pragma once

#include "device_segmented_sort.cuh"
