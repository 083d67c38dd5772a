// Marks in a time line: see nvToolsExt.h.
#pragma once
#include "../nvToolsExt.h"
