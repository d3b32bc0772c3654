#if JPEG
  import CImaging

  /// An encoder that converts JPEG and PNG images to JPEG with GD (package trait `JPEG`).
  ///
  /// It rotates the image as its EXIF orientation says, and removes all metadata, such as location,
  /// camera and owner. Transparent areas become white.
  ///
  /// The reasons for GD: this one library reads both formats from memory. GD handles the errors of
  /// libjpeg and libpng within C. Debian and PHP have maintained it for decades.
  /// - Complexity: O(pixels), with at most 2 seconds of CPU time, and 4 to 12 bytes of memory for
  ///   each pixel: most for PNG, progressive JPEG and turned images.
  public struct JPEGEncoder: PhotoEncoder {
    /// The most CPU time for an image, in seconds.
    private let seconds: Double
    /// The room for a JPEG without a limit of its own.
    private static let mostBytes = 64 << 20

    /// Creates an encoder.
    public init() { self.init(seconds: 2) }

    init(seconds: Double) { self.seconds = seconds }

    public func encode(_ image: [UInt8], quality: Double) -> EncodedPhoto? {
      guard case .photo(let photo) = encode(image, [quality], Self.mostBytes) else { return nil }
      return photo
    }

    /// Reads the image once, and writes it in one quality after another. If the CPU time is over
    /// meanwhile, the image counts as unreadable, or as too large if it has been read.
    public func encode(_ image: [UInt8], within limit: Int) -> PhotoEncoding {
      encode(image, photoQualities, limit)
    }

    private func encode(_ image: [UInt8], _ qualities: [Double], _ limit: Int) -> PhotoEncoding {
      guard let header = ImageHeader(image), let count = Int32(exactly: image.count) else {
        return .unreadable
      }
      let isPNG: Int32 = header.contentType == "image/png" ? 1 : 0
      let orientation = Int32(isPNG == 1 ? 1 : ImageHeader.orientation(image))
      let end = imaging_seconds() + seconds
      guard let picture = imaging_read(image, count, isPNG, orientation, end) else {
        return .unreadable
      }
      defer { imaging_close(picture) }
      for quality in qualities {
        let percent = Int32((quality * 100).rounded())
        var size: Int32 = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: min(limit, Self.mostBytes)) {
          size = imaging_write(picture, percent, end, $0.baseAddress, Int32($0.count))
          $1 = Int(max(0, size))
        }
        if size < 0 { return .tooLarge }
        if size > 0 { return .photo(EncodedPhoto(bytes: bytes, contentType: "image/jpeg")) }
      }
      return .tooLarge
    }
  }
#endif
