#if JPEG
  import CImaging

  /// An encoder that converts JPEG and PNG images to JPEG with GD (package trait `JPEG`).
  ///
  /// It rotates the image as its EXIF orientation says, and removes all metadata, such as location,
  /// camera and owner. Transparent areas become white.
  ///
  /// The reasons for GD: this one library reads both formats from memory. GD handles the errors of
  /// libjpeg and libpng within C. Debian and PHP have maintained it for decades.
  /// - Complexity: O(pixels), with 4 bytes of memory per pixel.
  public struct JPEGEncoder: PhotoEncoder {
    /// Creates an encoder.
    public init() {}

    public func encode(_ image: [UInt8], quality: Double) -> EncodedPhoto? {
      guard let header = ImageHeader(image), let count = Int32(exactly: image.count) else {
        return nil
      }
      let isPNG: Int32 = header.contentType == "image/png" ? 1 : 0
      let orientation = Int32(isPNG == 1 ? 1 : ImageHeader.orientation(image))
      var size: Int32 = 0
      let percent = Int32((quality * 100).rounded())
      guard
        let encoded = imaging_jpeg(image, count, isPNG, orientation, percent, &size), size > 0
      else { return nil }
      var bytes = [UInt8](repeating: 0, count: Int(size))
      imaging_take(encoded, &bytes, size)
      return EncodedPhoto(bytes: bytes, contentType: "image/jpeg")
    }
  }
#endif
