/* GD as the JPEG encoder calls it: it reads an image once, and writes it in several qualities, within
   a thread's CPU time. */
#ifndef IMAGING_H
#define IMAGING_H

#include <gd.h>
#include <stdarg.h>
#include <string.h>
#include <time.h>

/* GD reports what is wrong with an image to standard error; the caller says it in its own words. */
static void imaging_silent(int priority, const char *format, va_list arguments) {
  (void)priority;
  (void)format;
  (void)arguments;
}

/* The CPU time that this thread has used, in seconds. */
static inline double imaging_seconds(void) {
  struct timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

/* Bytes that GD reads or writes, until the thread has used its CPU time. */
typedef struct {
  gdIOCtx io; /* first, so that GD's callbacks find the rest */
  unsigned char *bytes;
  int count, at;
  double end; /* in the thread's CPU time */
  int is_jpeg, is_pause, is_late, is_full;
} imaging_stream;

static int imaging_is_late(imaging_stream *stream) {
  if (!stream->is_late && imaging_seconds() > stream->end) stream->is_late = 1;
  return stream->is_late;
}

/* libjpeg gets a JPEG in small pieces, because a few hundred bytes may be a scan of all pixels. GD
   asks again until its buffer is full or the answer is 0, so there is a 0 after each piece. */
static int imaging_get(gdIOCtxPtr io, void *target, int wanted) {
  imaging_stream *stream = (imaging_stream *)io;
  if (stream->is_jpeg && stream->is_pause) return stream->is_pause = 0;
  if (imaging_is_late(stream)) return 0;
  int left = stream->count - stream->at;
  int size = wanted < left ? wanted : left;
  if (stream->is_jpeg && size > 256) size = 256;
  memcpy(target, stream->bytes + stream->at, (size_t)size);
  stream->at += size;
  stream->is_pause = size > 0;
  return size;
}

static int imaging_get_one(gdIOCtxPtr io) {
  unsigned char byte;
  imaging_stream *stream = (imaging_stream *)io;
  if (stream->at >= stream->count || imaging_is_late(stream)) return EOF;
  byte = stream->bytes[stream->at++];
  return byte;
}

static int imaging_put(gdIOCtxPtr io, const void *source, int size) {
  imaging_stream *stream = (imaging_stream *)io;
  if (stream->is_full || imaging_is_late(stream)) return 0;
  if (size > stream->count - stream->at) {
    stream->is_full = 1;
    return 0;
  }
  memcpy(stream->bytes + stream->at, source, (size_t)size);
  stream->at += size;
  return size;
}

static void imaging_put_one(gdIOCtxPtr io, int byte) {
  unsigned char value = (unsigned char)byte;
  imaging_put(io, &value, 1);
}

/* A colour on white. */
static inline int imaging_opaque(int color) {
  return color >> 24 ? gdAlphaBlend(gdTrueColor(255, 255, 255), color) : color;
}

/* The pixel of an upright image, taken from where a camera held as `orientation` says (EXIF 2 to 8)
   put it. */
static inline int imaging_pixel(gdImagePtr image, int orientation, int x, int y) {
  int w = gdImageSX(image) - 1, h = gdImageSY(image) - 1;
  switch (orientation) {
    case 2: return image->tpixels[y][w - x];
    case 3: return image->tpixels[h - y][w - x];
    case 4: return image->tpixels[h - y][x];
    case 5: return image->tpixels[x][y];
    case 6: return image->tpixels[h - x][y];
    case 7: return image->tpixels[h - x][w - y];
    default: return image->tpixels[x][w - y];
  }
}

/* The image upright and on white; takes the given image over. NULL if there is no memory, or no CPU
   time. */
static inline gdImagePtr imaging_upright(gdImagePtr image, int orientation, double end) {
  int turned = orientation >= 5;
  int width = turned ? gdImageSY(image) : gdImageSX(image);
  int height = turned ? gdImageSX(image) : gdImageSY(image);
  gdImagePtr upright = orientation > 1 ? gdImageCreateTrueColor(width, height) : image;
  for (int y = 0; upright && y < height; y++) {
    int *row = upright->tpixels[y];
    if (orientation > 1)
      for (int x = 0; x < width; x++) row[x] = imaging_pixel(image, orientation, x, y);
    for (int x = 0; x < width; x++) row[x] = imaging_opaque(row[x]);
    if (y % 64 == 0 && imaging_seconds() > end) {
      if (upright != image) gdImageDestroy(upright);
      upright = NULL;
    }
  }
  if (upright != image) gdImageDestroy(image);
  return upright;
}

/* Reads an image, upright and on white; `imaging_close` frees it. NULL if it cannot be read, or not
   before the thread's CPU time `end`. */
static inline gdImagePtr imaging_read(
    const unsigned char *bytes, int count, int is_png, int orientation, double end) {
  imaging_stream stream = {.bytes = (unsigned char *)bytes, .count = count, .end = end};
  stream.io.getC = imaging_get_one;
  stream.io.getBuf = imaging_get;
  stream.is_jpeg = !is_png;
  gdSetErrorMethod(imaging_silent);
  gdImagePtr image =
      is_png ? gdImageCreateFromPngCtx(&stream.io) : gdImageCreateFromJpegCtx(&stream.io);
  if (image && !stream.is_late && gdImagePaletteToTrueColor(image))
    return imaging_upright(image, orientation, end);
  if (image) gdImageDestroy(image);
  return NULL;
}

/* Writes an image as a JPEG of `percent` quality. Returns the number of bytes; 0 if they do not fit
   into `room`, -1 if the thread's CPU time `end` is over. */
static inline int imaging_write(
    gdImagePtr image, int percent, double end, unsigned char *bytes, int room) {
  imaging_stream stream = {.bytes = bytes, .count = room, .end = end};
  stream.io.putC = imaging_put_one;
  stream.io.putBuf = imaging_put;
  gdImageJpegCtx(image, &stream.io, percent);
  return stream.is_late ? -1 : stream.is_full ? 0 : stream.at;
}

static inline void imaging_close(gdImagePtr image) { gdImageDestroy(image); }

#endif
