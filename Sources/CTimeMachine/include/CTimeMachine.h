// The parts of a page of the time machine, as bytes in the program, so that a copied binary has
// them. `Sources/CTimeMachine/build` makes what is in `built`.
#include <stddef.h>

/// A part, by its number in `Asset` of the module TimeMachine.
const unsigned char *page_asset(int number, long *count);
