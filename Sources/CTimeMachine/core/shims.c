// What Embedded Swift asks of a C library, where there is none.
#include <stddef.h>
#include <stdint.h>

void *memcpy(void *to, const void *from, size_t count) {
  return __builtin_memcpy(to, from, count);
}

void *memmove(void *to, const void *from, size_t count) {
  return __builtin_memmove(to, from, count);
}

void *memset(void *to, int byte, size_t count) { return __builtin_memset(to, byte, count); }

int memcmp(const void *a, const void *b, size_t count) {
  const unsigned char *x = a, *y = b;
  for (; count; count--, x++, y++)
    if (*x != *y) return *x - *y;
  return 0;
}

// Memory in blocks of powers of two; a freed block serves the next one of its size. The eight
// bytes before what was handed out tell the exponent and where the block begins.

typedef struct Block {
  struct Block *next;
} Block;

enum { smallest = 5, largest = 30, page = 65536 };
extern unsigned char __heap_base;
static Block *freed[largest + 1];
static uintptr_t top;

static uintptr_t block(unsigned exponent) {
  Block *old = freed[exponent];
  if (old) {
    freed[exponent] = old->next;
    return (uintptr_t)old;
  }
  if (!top) top = ((uintptr_t)&__heap_base + 15) & ~(uintptr_t)15;
  uintptr_t end = top + ((uintptr_t)1 << exponent), have = __builtin_wasm_memory_size(0) * page;
  if (end < top) return 0;
  if (end > have && __builtin_wasm_memory_grow(0, (end - have + page - 1) / page) == (size_t)-1)
    return 0;
  uintptr_t start = top;
  top = end;
  return start;
}

int posix_memalign(void **result, size_t alignment, size_t size) {
  if (alignment < 16) alignment = 16;
  unsigned exponent = smallest;
  while (exponent <= largest && ((uint64_t)1 << exponent) < (uint64_t)size + alignment) exponent++;
  uintptr_t start = exponent <= largest ? block(exponent) : 0;
  if (!start) return 12;
  // At least 8 bytes on, since blocks begin at multiples of 16.
  uintptr_t at = (start + 8 + alignment - 1) & ~(uintptr_t)(alignment - 1);
  ((uint32_t *)at)[-1] = exponent;
  ((uint32_t *)at)[-2] = start;
  *result = (void *)at;
  return 0;
}

void *malloc(size_t size) {
  void *result;
  return posix_memalign(&result, 16, size) ? NULL : result;
}

void free(void *memory) {
  if (!memory) return;
  unsigned exponent = ((uint32_t *)memory)[-1];
  Block *old = (Block *)(uintptr_t)((uint32_t *)memory)[-2];
  old->next = freed[exponent];
  freed[exponent] = old;
}

// Seeds of hash tables; nothing that anybody sees depends on them.
void arc4random_buf(void *to, size_t count) {
  static uint64_t state = 0x9e3779b97f4a7c15;
  for (unsigned char *byte = to; count; count--) {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    *byte++ = (unsigned char)(state >> 32);
  }
}

double round(double x) {
  double whole = __builtin_trunc(x);
  return __builtin_fabs(x - whole) < 0.5 ? whole : whole + __builtin_copysign(1, x);
}

uintptr_t __stack_chk_guard = 0x00c0ffee;
_Noreturn void __stack_chk_fail(void) { __builtin_trap(); }

// The product of two numbers of 128 bits, which the compiler leaves to its library.
__int128 __multi3(__int128 a, __int128 b) {
  unsigned __int128 x = a, y = b;
  uint64_t xl = (uint64_t)x, yl = (uint64_t)y;
  uint64_t x0 = xl & 0xffffffff, x1 = xl >> 32, y0 = yl & 0xffffffff, y1 = yl >> 32;
  uint64_t low = x0 * y0, one = x1 * y0 + (low >> 32), two = x0 * y1 + (one & 0xffffffff);
  uint64_t high = x1 * y1 + (one >> 32) + (two >> 32);
  high += (uint64_t)(x >> 64) * yl + xl * (uint64_t)(y >> 64);
  return (__int128)((unsigned __int128)high << 64 | two << 32 | (low & 0xffffffff));
}

// The double nearest to a decimal number: digits and power of ten as one fraction of large
// integers, divided bit by bit, so that it is right for every text.

enum { words = 256 };  // 800 digits, or 10^1,200, shifted by as much again
typedef struct {
  uint32_t word[words];
} Big;

static void multiplyAdd(Big *big, uint32_t factor, uint32_t more) {
  uint64_t carry = more;
  for (int i = 0; i < words; i++) {
    carry += (uint64_t)big->word[i] * factor;
    big->word[i] = (uint32_t)carry;
    carry >>= 32;
  }
}

static int compare(const Big *a, const Big *b) {
  for (int i = words - 1; i >= 0; i--)
    if (a->word[i] != b->word[i]) return a->word[i] < b->word[i] ? -1 : 1;
  return 0;
}

static void subtract(Big *a, const Big *b) {
  int64_t borrow = 0;
  for (int i = 0; i < words; i++) {
    borrow += (int64_t)a->word[i] - b->word[i];
    a->word[i] = (uint32_t)borrow;
    borrow >>= 32;
  }
}

static int length(const Big *big) {
  for (int i = words - 1; i >= 0; i--)
    if (big->word[i]) return i * 32 + 32 - __builtin_clz(big->word[i]);
  return 0;
}

static void doubled(Big *big, int times) {
  while (times >= 31) multiplyAdd(big, 1u << 31, 0), times -= 31;
  multiplyAdd(big, 1u << times, 0);
}

static double nearest(Big *above, int power) {
  if (length(above) <= 53 && -22 <= power && power <= 0) {
    // Both are doubles, so that one division is right: what the numbers of a log are like.
    double divisor = 1;
    for (; power < 0; power++) divisor *= 10;
    return (double)((uint64_t)above->word[1] << 32 | above->word[0]) / divisor;
  }
  Big below = {{1}};
  if (!length(above) || power < -1200) return 0;
  for (; power > 0; power--) {
    if (length(above) > 1100) return __builtin_inf();
    multiplyAdd(above, 10, 0);
  }
  for (; power < 0; power++) multiplyAdd(&below, 10, 0);
  // 2^exponent is at most the number; a subnormal one has fewer bits.
  int exponent = length(above) - length(&below);
  if (exponent > 0) doubled(&below, exponent);
  if (exponent < 0) doubled(above, -exponent);
  if (compare(above, &below) < 0) exponent--, doubled(above, 1);
  int bits = exponent < -1022 ? 53 - (-1022 - exponent) : 53;
  if (bits < 0) return 0;
  uint64_t mantissa = 0;
  for (int i = 0; i < bits; i++) {
    mantissa <<= 1;
    if (compare(above, &below) >= 0) mantissa |= 1, subtract(above, &below);
    doubled(above, 1);
  }
  int half = compare(above, &below);
  if (half > 0 || (half == 0 && mantissa & 1)) mantissa++;
  uint64_t pattern = mantissa;  // a carry moves into the exponent by itself
  if (exponent >= -1022) pattern += (uint64_t)(exponent + 1022) << 52;
  if (pattern >= (uint64_t)0x7ff << 52) return __builtin_inf();
  double result;
  __builtin_memcpy(&result, &pattern, sizeof result);
  return result;
}

const char *_swift_stdlib_strtod_clocale(const char *text, double *result) {
  Big digits = {{0}};
  int power = 0, count = 0, found = 0, isNegative = *text == '-';
  if (*text == '-' || *text == '+') text++;
  for (int afterPoint = 0;; text++) {
    if (*text == '.' && !afterPoint) {
      afterPoint = 1;
      continue;
    }
    if (*text < '0' || *text > '9') break;
    found = 1;
    if (count < 800) {  // what is beyond can only break a tie, and no double's tie is so long
      multiplyAdd(&digits, 10, (uint32_t)(*text - '0'));
      count += count || *text != '0';
      power -= afterPoint;
    } else {
      power += !afterPoint;
    }
  }
  if (!found) return NULL;
  if (*text == 'e' || *text == 'E') {
    const char *at = text + 1;
    int isDown = *at == '-', value = 0;
    if (*at == '-' || *at == '+') at++;
    if (*at >= '0' && *at <= '9') {
      for (; *at >= '0' && *at <= '9'; at++)
        if (value < 100000) value = value * 10 + (*at - '0');
      power += isDown ? -value : value;
      text = at;
    }
  }
  double value = nearest(&digits, power);
  *result = isNegative ? -value : value;
  return text;
}

// Embedded Swift tells of a trap by this; the page shows the trap itself.
int putchar(int byte) { return byte; }
