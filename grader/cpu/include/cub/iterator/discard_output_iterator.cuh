#pragma once

#include "iterators.cuh"
