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

/// Encodes an image at quality 0.8, 0.7 … 0.1 until the photo is within the rules' size limit.
/// - Throws: `invalidImage` if the image is neither JPEG nor PNG; `imageTooLarge` if it is too
///   large even at quality 0.1, or has more than 100 million pixels.
package func shrunk(
  _ image: [UInt8], with encoder: some PhotoEncoder, rules: Rules
) throws(DomainError) -> EncodedPhoto {
  guard let header = ImageHeader(image) else { throw .invalidImage }
  if let pixels = header.pixels, pixels > ImageHeader.mostPixels {
    throw .imageTooLarge(.pixels(ImageHeader.mostPixels))
  }
  for tenths in stride(from: 8, through: 1, by: -1) {
    guard let photo = encoder.encode(image, quality: Double(tenths) / 10) else {
      throw .invalidImage
    }
    if photo.bytes.count > rules.photoLimit { continue }
    try rules.checkPhoto(photo.bytes)
    return photo
  }
  throw .imageTooLarge(.bytes(rules.photoLimit))
}

/// The content type and the size in pixels that a JPEG's or PNG's header states.
package struct ImageHeader: Equatable {
  /// The maximum number of pixels. Decoding more would take over 400 MB of memory.
  static let mostPixels = 100_000_000

  package var contentType: String
  /// The width times the height; nil if the header states no size.
  var pixels: Int?

  /// Reads an image's header; nil if the bytes do not begin like a JPEG or a PNG.
  package init?(_ bytes: [UInt8]) {
    if bytes.starts(with: [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]) {
      contentType = "image/png"
      if bytes.count >= 24 { pixels = Self.number(bytes, 16, 4) &* Self.number(bytes, 20, 4) }
    } else if bytes.starts(with: [0xff, 0xd8, 0xff]) {
      contentType = "image/jpeg"
      pixels = Self.frame(bytes)
    } else {
      return nil
    }
  }

  private static func number(_ bytes: [UInt8], _ at: Int, _ count: Int) -> Int {
    bytes[at..<at + count].reduce(0) { $0 << 8 | Int($1) }
  }

  /// Returns the number of pixels that a JPEG's frame header states (segments SOF0 to SOF15, except
  /// DHT, JPG and DAC).
  private static func frame(_ bytes: [UInt8]) -> Int? {
    var at = 2
    while at + 9 <= bytes.count, bytes[at] == 0xff {
      let marker = bytes[at + 1]
      if marker == 0xff {
        at += 1
        continue
      }
      if (0xc0...0xcf).contains(marker), ![0xc4, 0xc8, 0xcc].contains(marker) {
        return number(bytes, at + 5, 2) * number(bytes, at + 7, 2)
      }
      at += 2 + number(bytes, at + 2, 2)
    }
    return nil
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
