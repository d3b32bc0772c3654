#if JPEG
  import CImaging

  /// Re-encodes JPEG and PNG images as JPEG, with GD (package trait `JPEG`).
  ///
  /// Rotates the image as the camera recorded, and drops all metadata: location, camera, owner.
  /// Transparent areas become white. GD was chosen because one library reads both formats from
  /// memory, handles the errors of libjpeg and libpng within C, and has been maintained by Debian
  /// and PHP for decades.
  /// - Complexity: O(pixels), 4 bytes per pixel.
  public struct JPEGEncoder: PhotoEncoder {
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
