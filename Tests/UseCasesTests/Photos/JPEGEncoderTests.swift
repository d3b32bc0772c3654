#if JPEG
  import Aggregates
  import Events
  import Foundation
  import Testing

  @testable import UseCases

  /// Needs the package trait JPEG: `swift test --traits JPEG --filter Photo`.
  @Suite struct PhotoJPEGEncoderTests {
    private let encoder = JPEGEncoder()

    private func size(_ photo: EncodedPhoto?) -> Int? {
      photo.flatMap { ImageHeader($0.bytes)?.pixels }
    }

    /// A picture that JPEG cannot make small: pseudo-random pixels, as an uncompressed PNG.
    private func noise(_ side: Int) throws -> [UInt8] {
      let script = """
        import zlib,struct,random,sys
        random.seed(7); n=\(side)
        raw=b''.join(b'\\0'+random.randbytes(3*n) for _ in range(n))
        def chunk(t,d): return struct.pack('>I',len(d))+t+d+struct.pack('>I',zlib.crc32(t+d))
        head=struct.pack('>IIBBBBB',n,n,8,2,0,0,0)
        sys.stdout.buffer.write(b'\\x89PNG\\r\\n\\x1a\\n'+chunk(b'IHDR',head)
          +chunk(b'IDAT',zlib.compress(raw,0))+chunk(b'IEND',b''))
        """
      let process = Process()
      process.executableURL = URL(filePath: "/usr/bin/env")
      process.arguments = ["python3", "-c", script]
      let pipe = Pipe()
      process.standardOutput = pipe
      try process.run()
      let data = pipe.fileHandleForReading.readDataToEndOfFile()
      process.waitUntilExit()
      return Array(data)
    }

    @Test("A PNG becomes a JPEG of the same size, and smaller with less quality")
    func png() throws {
      let image = try noise(64)
      let good = try #require(encoder.encode(image, quality: 0.8))
      let poor = try #require(encoder.encode(image, quality: 0.1))
      #expect(good.contentType == "image/jpeg" && good.bytes.starts(with: [0xff, 0xd8, 0xff]))
      #expect(size(good) == 64 * 64)
      #expect(poor.bytes.count < good.bytes.count)
      #expect(encoder.encode(good.bytes, quality: 0.8) != nil)
    }

    @Test("The quality is lowered until the photo fits")
    func shrinks() async throws {
      let image = try noise(64)
      var rules = Rules.climb
      let sizes = (1...8).map { encoder.encode(image, quality: Double($0) / 10)?.bytes.count ?? 0 }
      rules.photoLimit = sizes[2]  // of quality 0.3
      #expect(try await shrunk(image, with: encoder, rules: rules).bytes.count == sizes[2])
      rules.photoLimit = sizes[0] - 1
      await #expect(throws: DomainError.imageTooLarge(.bytes(rules.photoLimit))) {
        try await shrunk(image, with: encoder, rules: rules)
      }
    }

    @Test("A photo that takes more than its CPU time is refused, while it is read or written")
    func slow() throws {
      let image = try noise(512)
      #expect(JPEGEncoder(seconds: 0).encode(image, within: 1 << 20) == .unreadable)
      #expect(JPEGEncoder(seconds: 0).encode(image, quality: 0.5) == nil)
      let photo = try #require(encoder.encode(image, quality: 0.8)).bytes
      #expect(JPEGEncoder(seconds: 0).encode(photo, within: 1 << 20) == .unreadable)
      #expect(encoder.encode(photo, within: 1_000) == .tooLarge)
    }

    @Test("The camera's metadata is removed, and the picture is upright")
    func exif() throws {
      let photo = try #require(encoder.encode(try noise(32), quality: 0.8)).bytes
      let secret = Array("47.37N 8.54E".utf8)
      var tiff: [UInt8] = [0x49, 0x49, 42, 0, 8, 0, 0, 0, 1, 0]
      tiff += [0x12, 0x01, 3, 0, 1, 0, 0, 0, 6, 0, 0, 0, 0, 0, 0, 0] + secret
      let body = Array("Exif".utf8) + [0, 0] + tiff
      let segment: [UInt8] = [0xff, 0xe1, 0, UInt8(body.count + 2)] + body
      let tagged = Array(photo[..<2]) + segment + Array(photo[2...])
      #expect(ImageHeader.orientation(tagged) == 6)
      let cleaned = try #require(encoder.encode(tagged, quality: 0.8)).bytes
      #expect(Data(cleaned).range(of: Data(secret)) == nil)
      #expect(ImageHeader.orientation(cleaned) == 1)
    }

    @Test("Broken images are refused, and no bytes cause a trap")
    func hostile() throws {
      let image = try noise(16)
      for end in stride(from: 8, to: image.count - 12, by: 37) {
        _ = encoder.encode(Array(image[..<end]), quality: 0.5)
      }
      var random = SplitMix64(seed: 7)
      let photo = try #require(encoder.encode(image, quality: 0.8)).bytes
      for _ in 0..<500 {
        var bytes = photo
        for _ in 0..<5 {
          let at = Int.random(in: 3..<bytes.count, using: &random)
          bytes[at] = UInt8.random(in: .min ... .max, using: &random)
        }
        if (ImageHeader(bytes)?.pixels ?? 0) < 1_000_000 {
          _ = encoder.encode(bytes, quality: 0.5)
        }
      }
      #expect(encoder.encode([0xff, 0xd8, 0xff, 0xe0], quality: 0.5) == nil)
    }
  }
#endif
