#pragma once

#include "util_type.cuh"
