import Events
import Testing

@testable import UseCases

/// Photos without the trait JPEG: checked to their end, and stripped of metadata.
@Suite struct PhotoCleaningTests {
  private let encoder = PassThroughEncoder()

  private func segment(_ marker: UInt8, _ body: [UInt8]) -> [UInt8] {
    [0xff, marker, UInt8((body.count + 2) >> 8), UInt8((body.count + 2) & 0xff)] + body
  }

  private let start: [UInt8] = [0xff, 0xd8]
  private var jfif: [UInt8] { segment(0xe0, Array("JFIF".utf8) + [0, 1, 1, 0, 0, 1, 0, 1, 0, 0]) }
  private var frame: [UInt8] { segment(0xc0, [8, 0, 2, 0, 3, 1, 1, 0x11, 0]) }
  private var scan: [UInt8] {
    segment(0xda, [1, 1, 0, 0, 63, 0]) + [0x12, 0xff, 0x00, 0x34, 0xff, 0xd0, 0x56]
  }
  private let end: [UInt8] = [0xff, 0xd9]
  private var jpeg: [UInt8] { start + jfif + frame + scan + end }

  private func exif(_ orientation: UInt8) -> [UInt8] {
    var tiff: [UInt8] = [0x49, 0x49, 42, 0, 8, 0, 0, 0, 1, 0]
    tiff += [0x12, 0x01, 3, 0, 1, 0, 0, 0, orientation, 0, 0, 0, 0, 0, 0, 0]
    return segment(0xe1, Array("Exif".utf8) + [0, 0] + tiff + Array("47.37N 8.54E".utf8))
  }

  private func clean(_ image: [UInt8]) -> [UInt8]? { encoder.encode(image, quality: 0.8)?.bytes }

  private func holds(_ bytes: [UInt8], _ text: String) -> Bool {
    String(decoding: bytes, as: UTF8.self).contains(text)
  }

  @Test("EXIF, XMP, comments and bytes after the end are removed, and the picture does not change")
  func jpegs() throws {
    let xmp = segment(0xe1, Array("http://ns.adobe.com/xap/1.0/".utf8) + [0] + Array("xmp".utf8))
    let comment = segment(0xfe, Array("by ann".utf8))
    let iptc = segment(0xed, Array("Photoshop 3.0".utf8))
    let tagged =
      start + exif(1) + jfif + xmp + comment + frame + iptc + scan + comment + scan + end
      + Array("GPS".utf8)
    #expect(clean(tagged) == start + jfif + frame + scan + scan + end)
    #expect(clean(jpeg) == jpeg)
  }

  @Test("Of EXIF only the orientation stays")
  func orientation() throws {
    let cleaned = try #require(clean(start + exif(6) + frame + scan + end))
    #expect(ImageHeader.orientation(cleaned) == 6)
    #expect(!holds(cleaned, "47.37N"))
    #expect(clean(cleaned) == cleaned)
  }

  @Test("A JPEG that ends too early or has no size is refused")
  func broken() {
    for count in 0..<jpeg.count { #expect(clean(Array(jpeg[..<count])) == nil, "\(count) bytes") }
    let flat = segment(0xc0, [8, 0, 0, 0, 3, 1, 1, 0x11, 0])
    for parts in [
      start + jfif + scan + end, start + flat + scan + end, start + frame + end,
      start + frame + frame + scan + end, start + frame + [0xff, 0xd8] + scan + end,
      start + frame + [0x00] + scan + end,
    ] {
      #expect(clean(parts) == nil, "\(parts)")
    }
  }

  private func chunk(_ type: String, _ body: [UInt8]) -> [UInt8] {
    let named = Array(type.utf8) + body
    func number(_ value: UInt32) -> [UInt8] {
      [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
    }
    return number(UInt32(body.count)) + named + number(CRC32.of(named[...]))
  }

  private let signature: [UInt8] = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]
  private var head: [UInt8] { chunk("IHDR", [0, 0, 0, 1, 0, 0, 0, 2, 8, 0, 0, 0, 0]) }
  private var data: [UInt8] { chunk("IDAT", [1, 2, 3]) }
  private var png: [UInt8] { signature + head + data + chunk("IEND", []) }

  @Test("A PNG's texts, times, EXIF and bytes after its end are removed")
  func pngs() {
    let beside =
      chunk("tEXt", Array("GPS".utf8)) + chunk("eXIf", [1]) + chunk("tIME", [1])
      + chunk("iTXt", Array("XML:com.adobe.xmp".utf8))
    #expect(clean(signature + head + beside + data + beside + chunk("IEND", []) + [1]) == png)
    #expect(clean(png) == png)
  }

  @Test("A PNG that ends too early, has a changed byte or no size is refused")
  func brokenPNGs() {
    for count in 0..<png.count { #expect(clean(Array(png[..<count])) == nil, "\(count) bytes") }
    for at in png.indices {
      var changed = png
      changed[at] ^= 0x10
      #expect(clean(changed) == nil, "byte \(at)")
    }
    let flat = chunk("IHDR", [0, 0, 0, 0, 0, 0, 0, 2, 8, 0, 0, 0, 0])
    let ends = chunk("IEND", [])
    for parts in [flat + data + ends, head + ends, data + head + ends, head + head + data + ends] {
      #expect(clean(signature + parts) == nil)
    }
    #expect(clean(signature + head + chunk("ABCD", []) + data + ends) == nil)
  }

  @Test("No bytes cause a trap")
  func hostile() {
    var random = SplitMix64(seed: 3)
    for whole in [jpeg, png, start + exif(6) + frame + scan + end] {
      for _ in 0..<3_000 {
        var bytes = whole
        for _ in 0..<Int.random(in: 1...4, using: &random) {
          let at = Int.random(in: 0..<bytes.count, using: &random)
          bytes[at] = UInt8.random(in: .min ... .max, using: &random)
        }
        _ = clean(bytes)
        _ = clean(Array(bytes.prefix(Int.random(in: 0...bytes.count, using: &random))))
      }
    }
  }
}
