/* GD as the JPEG encoder calls it: two functions over plain buffers. */
#ifndef IMAGING_H
#define IMAGING_H

#include <gd.h>
#include <stdarg.h>
#include <string.h>

/* GD reports what is wrong with an image to standard error; the caller says it in its own words. */
static void imaging_silent(int priority, const char *format, va_list arguments) {
  (void)priority;
  (void)format;
  (void)arguments;
}

/* The pixel of an upright image, taken from where a camera held as `orientation` says (EXIF 1 to 8)
   put it. */
static inline int imaging_pixel(gdImagePtr image, int orientation, int x, int y) {
  int w = gdImageSX(image) - 1, h = gdImageSY(image) - 1;
  switch (orientation) {
    case 2: return gdImageGetTrueColorPixel(image, w - x, y);
    case 3: return gdImageGetTrueColorPixel(image, w - x, h - y);
    case 4: return gdImageGetTrueColorPixel(image, x, h - y);
    case 5: return gdImageGetTrueColorPixel(image, y, x);
    case 6: return gdImageGetTrueColorPixel(image, y, h - x);
    case 7: return gdImageGetTrueColorPixel(image, w - y, h - x);
    case 8: return gdImageGetTrueColorPixel(image, w - y, x);
    default: return gdImageGetTrueColorPixel(image, x, y);
  }
}

/* The image as a JPEG of `percent` quality on white; NULL if it cannot be read. `imaging_take`
   takes the result over. */
static inline void *imaging_jpeg(
    const unsigned char *bytes, int count, int is_png, int orientation, int percent, int *size) {
  gdSetErrorMethod(imaging_silent);
  gdImagePtr image = is_png ? gdImageCreateFromPngPtr(count, (void *)bytes)
                            : gdImageCreateFromJpegPtr(count, (void *)bytes);
  if (!image) return NULL;
  int turned = orientation >= 5;
  int width = turned ? gdImageSY(image) : gdImageSX(image);
  int height = turned ? gdImageSX(image) : gdImageSY(image);
  gdImagePtr upright = gdImageCreateTrueColor(width, height);
  void *result = NULL;
  if (upright) {
    gdImageFilledRectangle(upright, 0, 0, width - 1, height - 1, gdTrueColor(255, 255, 255));
    gdImageAlphaBlending(upright, gdEffectAlphaBlend);
    for (int y = 0; y < height; y++)
      for (int x = 0; x < width; x++)
        gdImageSetPixel(upright, x, y, imaging_pixel(image, orientation, x, y));
    result = gdImageJpegPtr(upright, size, percent);
    gdImageDestroy(upright);
  }
  gdImageDestroy(image);
  return result;
}

/* Copies a result and frees it. */
static inline void imaging_take(void *result, unsigned char *bytes, int size) {
  memcpy(bytes, result, (size_t)size);
  gdFree(result);
}

#endif
