#include "CTimeMachine.h"

#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char core[] = {
#embed "built/core.wasm.gz"
};
static const unsigned char script[] = {
#embed "built/page.js"
};
static const unsigned char worker[] = {
#embed "built/worker.js"
};
static const unsigned char style[] = {
#embed "built/page.css"
};
static const unsigned char body[] = {
#embed "web/page.html"
};
static const unsigned char policy[] = {
#embed "built/policy"
};
static const unsigned char license[] = {
#embed "LICENSE-D3"
};

#define PART(name) {name, sizeof name}
static const struct {
  const unsigned char *bytes;
  size_t count;
} parts[] = {PART(core),  PART(script), PART(worker), PART(style),
             PART(body),  PART(policy), PART(license)};

const unsigned char *page_asset(int number, long *count) {
  *count = (long)parts[number].count;
  return parts[number].bytes;
}
