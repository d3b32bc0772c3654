import Aggregates

/// A port that makes photos smaller. An app implements it, because the Swift toolchain has no image
/// codec.
///
/// docs/embedding.md shows a small implementation.
public protocol PhotoEncoder: Sendable {
  /// Returns the image as a JPEG of the given quality, which is above 0 and at most 1.
  ///
  /// Returns the image in its own format if the encoder cannot re-encode it.
  /// - Returns: nil if the bytes cannot be read as an image.
  func encode(_ image: [UInt8], quality: Double) -> EncodedPhoto?

  /// Returns the image in the best quality of 0.8, 0.7 … 0.1 in which it has at most `limit` bytes.
  ///
  /// By default calls `encode` for one quality after another. An encoder may do better, and read
  /// the image only once.
  func encode(_ image: [UInt8], within limit: Int) -> PhotoEncoding
}

/// The result of making a photo small enough.
public enum PhotoEncoding: Equatable, Sendable {
  /// The photo in the best quality in which it is small enough.
  case photo(EncodedPhoto)
  /// The photo is too large even in the least quality.
  case tooLarge
  /// The bytes cannot be read as an image.
  case unreadable
}

/// The qualities in which a photo is tried, the best one first.
let photoQualities = (1...8).reversed().map { Double($0) / 10 }

extension PhotoEncoder {
  public func encode(_ image: [UInt8], within limit: Int) -> PhotoEncoding {
    for quality in photoQualities {
      guard let photo = encode(image, quality: quality) else { return .unreadable }
      if photo.bytes.count <= limit { return .photo(photo) }
    }
    return .tooLarge
  }
}

/// A photo in the form in which it is stored.
public struct EncodedPhoto: Equatable, Sendable {
  /// The bytes of the image file.
  public var bytes: [UInt8]
  /// The MIME type: `image/jpeg` or `image/png`.
  public var contentType: String

  /// Creates a photo.
  public init(bytes: [UInt8], contentType: String) {
    (self.bytes, self.contentType) = (bytes, contentType)
  }
}

/// An encoder that only removes metadata, for programs without a library that can re-encode.
///
/// It does not decode an image, but checks its size in pixels and each segment or chunk up to the
/// end. It removes metadata: EXIF with the location, XMP, comments, texts and times; only the
/// camera's orientation stays. It also removes all bytes after the image's end. It ignores the
/// quality.
public struct PassThroughEncoder: PhotoEncoder {
  /// Creates an encoder.
  public init() {}

  public func encode(_ image: [UInt8], quality: Double) -> EncodedPhoto? {
    guard let header = ImageHeader(image) else { return nil }
    let cleaned =
      header.contentType == "image/png"
      ? PNGMetadata.removed(from: image) : JPEGMetadata.removed(from: image)
    return cleaned.map { EncodedPhoto(bytes: $0, contentType: header.contentType) }
  }
}

/// Returns `JPEGEncoder` with the package trait `JPEG`, otherwise `PassThroughEncoder`.
public func defaultPhotoEncoder() -> any PhotoEncoder {
  #if JPEG
    JPEGEncoder()
  #else
    PassThroughEncoder()
  #endif
}

/// The threads that encode photos. The threads that perform commands must not wait for them.
private let encoding = WorkQueue("eventlog.photos", most: 2)

/// Encodes an image at quality 0.8, 0.7 … 0.1 until the photo is within the rules' size limit.
///
/// Two images are encoded at once, each on a thread of its own: at most one of each caller, and at
/// most one with more than 12 million pixels, because of the memory.
/// - Parameter caller: the key of the caller.
/// - Throws: `invalidImage` if the image is neither JPEG nor PNG, or has other bytes between the
///   segments before its size, or more scans than a JPEG of its size needs; `imageTooLarge` if it
///   is too large even at quality 0.1, or has more than 50 million pixels. An image that takes too
///   long has one of these errors.
package func shrunk(
  _ image: [UInt8], with encoder: some PhotoEncoder, rules: Rules, for caller: String = ""
) async throws(DomainError) -> EncodedPhoto {
  guard let header = ImageHeader(image), header.isSound else { throw .invalidImage }
  if let pixels = header.pixels, pixels > ImageHeader.mostPixels {
    throw .imageTooLarge(.pixels(ImageHeader.mostPixels))
  }
  let pixels = header.pixels ?? ImageHeader.mostPixels
  let result = await encoding.result(
    for: pixels > ImageHeader.usualPixels ? [caller, " large"] : [caller]
  ) {
    Result { () throws(DomainError) in try smallEnough(image, pixels, encoder, rules) }
  }
  guard let result else { throw .invalidImage }
  return try result.get()
}

private func smallEnough(
  _ image: [UInt8], _ pixels: Int, _ encoder: some PhotoEncoder, _ rules: Rules
) throws(DomainError) -> EncodedPhoto {
  guard ImageHeader.hasFewScans(image, pixels: pixels) else { throw .invalidImage }
  switch encoder.encode(image, within: rules.photoLimit) {
  case .unreadable: throw .invalidImage
  case .tooLarge: throw .imageTooLarge(.bytes(rules.photoLimit))
  case .photo(let photo):
    try rules.checkPhoto(photo.bytes)
    return photo
  }
}

/// The content type and the size in pixels that a JPEG's or PNG's header states.
package struct ImageHeader: Equatable {
  /// The maximum number of pixels. Decoding more would take over 200 MB of memory.
  static let mostPixels = 50_000_000
  /// The number of pixels of a usual photo. Of larger ones, only one is encoded at a time.
  static let usualPixels = 12_500_000
  /// The maximum number of a JPEG's scans. Cameras and programs make at most about twelve.
  private static let mostScans = 100
  /// The maximum product of a JPEG's scans and pixels: a decoder visits each pixel in each scan.
  /// Decoding this many takes about two seconds.
  private static let mostVisited = 600_000_000

  package var contentType: String
  /// The width times the height; nil if the header states no size.
  var pixels: Int?
  /// Whether a JPEG has only whole segments before its size. Decoders go on after other bytes, each
  /// in its own way, and could read another size.
  var isSound = true

  /// Reads an image's header; nil if the bytes do not begin like a JPEG or a PNG.
  package init?(_ bytes: [UInt8]) {
    if bytes.starts(with: [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]) {
      contentType = "image/png"
      if bytes.count >= 24 { pixels = Self.number(bytes, 16, 4) &* Self.number(bytes, 20, 4) }
    } else if bytes.starts(with: [0xff, 0xd8, 0xff]) {
      contentType = "image/jpeg"
      (pixels, isSound) = Self.frame(bytes)
    } else {
      return nil
    }
  }

  private static func number(_ bytes: [UInt8], _ at: Int, _ count: Int) -> Int {
    bytes[at..<at + count].reduce(0) { $0 << 8 | Int($1) }
  }

  /// Returns the number of pixels that a JPEG's frame header states; nil if there is no header.
  /// - Returns: also whether there are only whole segments before it.
  private static func frame(_ bytes: [UInt8]) -> (pixels: Int?, isSound: Bool) {
    var at = 2
    while at < bytes.count {
      guard let (marker, start) = JPEGMetadata.marker(bytes, at) else { return (nil, false) }
      if marker == 0xd9 || marker == 0xda { break }
      guard JPEGMetadata.hasLength(marker) else { return (nil, false) }
      guard start + 7 <= bytes.count else { break }
      if JPEGMetadata.isFrame(marker) {
        return (number(bytes, start + 3, 2) * number(bytes, start + 5, 2), true)
      }
      let length = number(bytes, start, 2)
      guard length >= 2 else { return (nil, false) }
      at = start + length
    }
    return (nil, true)
  }

  /// Whether a decoder needs little time for a JPEG's scans. A file of 300 kB may have a thousand
  /// scans, which take half a minute. Other images have none.
  static func hasFewScans(_ bytes: [UInt8], pixels: Int) -> Bool {
    guard bytes.starts(with: [0xff, 0xd8]) else { return true }
    var (scans, at) = (0, 2)
    while at + 3 < bytes.count {
      guard bytes[at] == 0xff else {
        at += 1
        continue
      }
      let marker = bytes[at + 1]
      if marker == 0xda { scans += 1 }
      // What a segment contains, such as a small picture of the photo, has no scans of the photo.
      at += JPEGMetadata.hasLength(marker) ? 2 + number(bytes, at + 2, 2) : marker == 0xff ? 1 : 2
    }
    return scans <= mostScans && scans * pixels <= mostVisited
  }

  /// Returns the orientation, 1 to 8, recorded in a JPEG (EXIF, tag 0x0112); 1 if there is none.
  static func orientation(_ bytes: [UInt8]) -> Int {
    var at = 2
    while at + 4 <= bytes.count, bytes[at] == 0xff, bytes[at + 1] != 0xda {
      let length = number(bytes, at + 2, 2)
      let start = at + 10
      if bytes[at + 1] == 0xe1, length >= 22, at + 2 + length <= bytes.count,
        bytes[(at + 4)..<start].elementsEqual(Array("Exif".utf8) + [0, 0])
      {
        return orientation(Array(bytes[start..<(at + 2 + length)])[...])
      }
      at += 2 + max(length, 2)
    }
    return 1
  }

  /// Returns the orientation in the first directory of a TIFF header.
  private static func orientation(_ tiff: ArraySlice<UInt8>) -> Int {
    let isLittle = tiff[0] == UInt8(ascii: "I")
    func read(_ at: Int, _ count: Int) -> Int? {
      guard at >= 0, at + count <= tiff.count else { return nil }
      let bytes = Array(tiff[at..<at + count])
      return number(isLittle ? bytes.reversed() : bytes, 0, count)
    }
    guard let directory = read(4, 4), let entries = read(directory, 2) else { return 1 }
    for entry in 0..<min(entries, 200) {
      let at = directory + 2 + 12 * entry
      guard let tag = read(at, 2) else { return 1 }
      if tag == 0x0112, let value = read(at + 8, 2), (1...8).contains(value) { return value }
    }
    return 1
  }
}
