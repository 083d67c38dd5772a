// Marks in a profiler's time line (NVTX). Nobody profiles here, so they do nothing.
#pragma once

#include <cstdint>

typedef std::uint64_t nvtxRangeId_t;
typedef std::uint32_t nvtxColorType_t, nvtxMessageType_t;
struct nvtxDomainRegistration;
typedef nvtxDomainRegistration *nvtxDomainHandle_t;
union nvtxMessageValue_t {
  const char *ascii;
  const wchar_t *unicode;
};
struct nvtxEventAttributes_t {
  std::uint16_t version, size;
  std::uint32_t category;
  std::int32_t colorType;
  std::uint32_t color;
  std::int32_t payloadType, reserved0;
  union {
    std::uint64_t ullValue;
    std::int64_t llValue;
    double dValue;
  } payload;
  std::int32_t messageType;
  nvtxMessageValue_t message;
};
enum { NVTX_COLOR_UNKNOWN, NVTX_COLOR_ARGB, NVTX_MESSAGE_TYPE_ASCII = 1, NVTX_VERSION = 3 };
#define NVTX_EVENT_ATTRIB_STRUCT_SIZE (sizeof(nvtxEventAttributes_t))

inline int nvtxRangePushA(const char *) { return 0; }
inline int nvtxRangePush(const char *) { return 0; }
inline int nvtxRangePushEx(const nvtxEventAttributes_t *) { return 0; }
inline int nvtxRangePop() { return 0; }
inline nvtxRangeId_t nvtxRangeStartA(const char *) { return 0; }
inline nvtxRangeId_t nvtxRangeStart(const char *) { return 0; }
inline nvtxRangeId_t nvtxRangeStartEx(const nvtxEventAttributes_t *) { return 0; }
inline void nvtxRangeEnd(nvtxRangeId_t) {}
inline void nvtxMarkA(const char *) {}
inline void nvtxMark(const char *) {}
inline void nvtxMarkEx(const nvtxEventAttributes_t *) {}
inline void nvtxNameOsThreadA(std::uint32_t, const char *) {}
inline nvtxDomainHandle_t nvtxDomainCreateA(const char *) { return nullptr; }
inline void nvtxDomainDestroy(nvtxDomainHandle_t) {}
inline int nvtxDomainRangePushEx(nvtxDomainHandle_t, const nvtxEventAttributes_t *) { return 0; }
inline int nvtxDomainRangePop(nvtxDomainHandle_t) { return 0; }
