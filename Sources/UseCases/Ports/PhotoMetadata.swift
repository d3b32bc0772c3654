/// A JPEG without metadata.
enum JPEGMetadata {
  /// Checks a JPEG's segments, and removes metadata and all bytes after the end marker.
  ///
  /// The JFIF segment, Adobe's colour segment and colour profiles stay, because decoders need them.
  /// Of the EXIF data only the orientation stays, in a new EXIF segment.
  /// - Returns: nil if the image is not a complete JPEG with a width and a height.
  static func removed(from image: [UInt8]) -> [UInt8]? {
    guard image.starts(with: [0xff, 0xd8]) else { return nil }
    var out: [UInt8] = [0xff, 0xd8]
    let orientation = ImageHeader.orientation(image)
    if orientation != 1 { out += Self.orientation(orientation) }
    var at = 2
    var (hasFrame, hasScan) = (false, false)
    while let (marker, start) = marker(image, at) {
      if marker == 0xd9 { return hasScan ? out + [0xff, 0xd9] : nil }
      guard hasLength(marker), start + 2 <= image.count else { return nil }
      let length = Int(image[start]) << 8 | Int(image[start + 1])
      guard length >= 2, start + length <= image.count else { return nil }
      let body = image[(start + 2)..<(start + length)]
      if isFrame(marker) {
        guard !hasFrame, isSized(body) else { return nil }
        hasFrame = true
      }
      if !isMetadata(marker, body) { out += [0xff, marker] + image[start..<(start + length)] }
      at = start + length
      if marker == 0xda {
        guard hasFrame else { return nil }
        hasScan = true
        let end = scanEnd(image, at)
        out += image[at..<end]
        at = end
      }
    }
    return nil
  }

  /// Returns the next marker after any fill bytes, and the index of the marker's length field.
  static func marker(_ image: [UInt8], _ from: Int) -> (UInt8, Int)? {
    guard from < image.count, image[from] == 0xff else { return nil }
    var at = from
    while at < image.count, image[at] == 0xff { at += 1 }
    return at < image.count ? (image[at], at + 1) : nil
  }

  /// Returns the index where a scan's data end: the next marker that is no restart marker or
  /// stuffed byte.
  private static func scanEnd(_ image: [UInt8], _ from: Int) -> Int {
    var at = from
    while at + 1 < image.count {
      let next = image[at + 1]
      if image[at] == 0xff, next != 0, next != 0xff, !(0xd0...0xd7).contains(next) { return at }
      at += 1
    }
    return image.count
  }

  /// Returns whether a marker is followed by a length. The others (restarts, start and end of an
  /// image) are invalid between segments.
  static func hasLength(_ marker: UInt8) -> Bool {
    marker >= 0xc0 && !(0xd0...0xd9).contains(marker)
  }

  /// Returns whether a marker begins a frame header: SOF0 to SOF15, except DHT, JPG and DAC.
  static func isFrame(_ marker: UInt8) -> Bool {
    (0xc0...0xcf).contains(marker) && ![0xc4, 0xc8, 0xcc].contains(marker)
  }

  /// Returns whether a frame header has a width and a height, and as many components as it states.
  private static func isSized(_ body: ArraySlice<UInt8>) -> Bool {
    let body = Array(body)
    guard body.count >= 6 else { return false }
    let (height, width) = (body[1] | body[2], body[3] | body[4])
    return height != 0 && width != 0 && (1...4).contains(body[5])
      && body.count == 6 + 3 * Int(body[5])
  }

  private static func isMetadata(_ marker: UInt8, _ body: ArraySlice<UInt8>) -> Bool {
    switch marker {
    case 0xe0: !body.starts(with: Array("JFIF".utf8) + [0])
    case 0xe2: !body.starts(with: Array("ICC_PROFILE".utf8) + [0])
    case 0xee: !body.starts(with: Array("Adobe".utf8))
    case 0xe1...0xef, 0xfe: true
    default: false
    }
  }

  /// Returns an EXIF segment that contains only the orientation.
  private static func orientation(_ value: Int) -> [UInt8] {
    let tiff: [UInt8] = [
      0x4d, 0x4d, 0, 42, 0, 0, 0, 8, 0, 1, 0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, UInt8(value), 0, 0, 0,
      0, 0, 0,
    ]
    let body = Array("Exif".utf8) + [0, 0] + tiff
    return [0xff, 0xe1, 0, UInt8(body.count + 2)] + body
  }
}

/// A PNG without metadata.
enum PNGMetadata {
  /// The types of the chunks that a decoder needs. All other chunks are removed.
  private static let kept = [
    "IHDR", "PLTE", "IDAT", "IEND", "tRNS", "gAMA", "cHRM", "sRGB", "iCCP", "sBIT", "pHYs", "bKGD",
  ]

  /// Checks a PNG's chunks and their checksums, and removes metadata and all bytes after the last
  /// chunk.
  /// - Returns: nil if the PNG is incomplete, or its width or height is 0.
  static func removed(from image: [UInt8]) -> [UInt8]? {
    guard image.count >= 8 else { return nil }
    var out = Array(image[..<8])
    var at = 8
    var hasData = false
    func number(_ at: Int) -> Int { image[at..<at + 4].reduce(0) { $0 << 8 | Int($1) } }
    while at + 12 <= image.count {
      let length = number(at)
      guard length <= image.count - at - 12 else { return nil }
      let end = at + 12 + length
      let type = image[(at + 4)..<(at + 8)]
      guard CRC32.of(image[(at + 4)..<(end - 4)]) == UInt32(number(end - 4)) else { return nil }
      let name = String(decoding: type, as: UTF8.self)
      guard (name == "IHDR") == (at == 8) else { return nil }
      if at == 8, length != 13 || number(at + 8) == 0 || number(at + 12) == 0 { return nil }
      if kept.contains(name) {
        out += image[at..<end]
      } else if type.first.map({ $0 & 0x20 == 0 }) ?? true {
        return nil  // a chunk that a decoder must know
      }
      if name == "IDAT" { hasData = true }
      if name == "IEND" { return hasData ? out : nil }
      at = end
    }
    return nil
  }
}

/// The checksum that PNG and gzip use (ISO 3309).
enum CRC32 {
  private static let table: [UInt32] = (0..<256).map { byte in
    (0..<8).reduce(UInt32(byte)) { crc, _ in crc & 1 == 1 ? 0xedb8_8320 ^ crc >> 1 : crc >> 1 }
  }

  static func of(_ bytes: ArraySlice<UInt8>) -> UInt32 {
    var crc: UInt32 = 0xffff_ffff
    for byte in bytes {
      crc = table[Int(UInt8(truncatingIfNeeded: crc) ^ byte)] ^ crc >> 8
    }
    return ~crc
  }
}
