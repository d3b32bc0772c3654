import Aggregates
import Events
import Foundation
import Synchronization
import Testing

@testable import UseCases

private let png: [UInt8] = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]
private let jpeg: [UInt8] = [0xff, 0xd8, 0xff, 0xe0]
/// Makes photos of this many bytes at quality 1, proportionally fewer below.
private final class ScriptedEncoder: PhotoEncoder {
  private let size: Int
  private let tried = Mutex<[Int]>([])

  init(size: Int) { self.size = size }

  var qualities: [Int] { tried.withLock { $0 } }

  func encode(_ image: [UInt8], quality: Double) -> EncodedPhoto? {
    tried.withLock { $0.append(Int((quality * 10).rounded())) }
    let count = Int(Double(size) * quality)
    let bytes = jpeg + [UInt8](repeating: 0, count: max(0, count - jpeg.count))
    return EncodedPhoto(bytes: bytes, contentType: "image/jpeg")
  }
}

/// A storage in memory that can be made to fail.
private final class MemoryPhotos: PhotoStorage {
  private let stored = Mutex<[String: [UInt8]]>([:])
  private let failing = Mutex(false)

  func fails(_ fails: Bool) { failing.withLock { $0 = fails } }
  var paths: [String] { stored.withLock { $0.keys.sorted() } }

  private func check() throws(PhotoStorageError) {
    if failing.withLock({ $0 }) { throw PhotoStorageError("the bucket is gone") }
  }

  func put(_ bytes: [UInt8], at path: String) async throws(PhotoStorageError) -> String {
    try check()
    stored.withLock { $0[path] = bytes }
    return "memory:" + path
  }

  func delete(_ path: String) async throws(PhotoStorageError) {
    try check()
    _ = stored.withLock { $0.removeValue(forKey: path) }
  }
}

/// An encoder that waits in its first call until it may go on.
private final class SlowEncoder: PhotoEncoder {
  let state = Mutex((begun: 0, ended: 0, underWay: 0, most: 0))
  private let gate = DispatchSemaphore(value: 0)

  func release() { gate.signal() }

  func encode(_ image: [UInt8], quality: Double) -> EncodedPhoto? {
    let isFirst = state.withLock { state in
      state.begun += 1
      state.underWay += 1
      state.most = max(state.most, state.underWay)
      return state.begun == 1
    }
    if isFirst { gate.wait() }
    state.withLock { state in
      state.ended += 1
      state.underWay -= 1
    }
    return EncodedPhoto(bytes: image, contentType: "image/png")
  }
}

@Suite struct PhotoUseCaseTests {
  private let limit = Rules.climb.photoLimit

  @Test("A photo is re-encoded from quality 0.8 down until it is at most 5 MiB")
  func qualities() async throws {
    for (size, tried) in [(limit, [8]), (limit * 10 / 8, [8]), (limit * 10 / 6, [8, 7, 6])] {
      let encoder = ScriptedEncoder(size: size)
      #expect(try await shrunk(pixel, with: encoder, rules: .climb).bytes.count <= limit)
      #expect(encoder.qualities == tried)
    }
    let encoder = ScriptedEncoder(size: limit * 11)
    await #expect(throws: DomainError.imageTooLarge(.bytes(limit))) {
      try await shrunk(pixel, with: encoder, rules: .climb)
    }
    #expect(encoder.qualities == [8, 7, 6, 5, 4, 3, 2, 1])
  }

  @Test("A photo that is not re-encoded keeps its picture and type, and the size limit applies")
  func passThrough() async throws {
    let encoder = PassThroughEncoder()
    #expect(
      try await shrunk(pixel, with: encoder, rules: .climb)
        == .init(bytes: pixel, contentType: "image/png"))
    var rules = Rules.climb
    rules.photoLimit = pixel.count
    #expect(try await shrunk(pixel, with: encoder, rules: rules).bytes == pixel)
    rules.photoLimit -= 1
    await #expect(throws: DomainError.imageTooLarge(.bytes(pixel.count - 1))) {
      try await shrunk(pixel, with: encoder, rules: rules)
    }
    for bytes in [[], Array("GIF89a".utf8), [0xff, 0xd8], png, jpeg] as [[UInt8]] {
      await #expect(throws: DomainError.invalidImage) {
        try await shrunk(bytes, with: encoder, rules: .climb)
      }
    }
  }

  @Test("A JPEG with more scans than a photo of its size needs is not decoded")
  func scans() async throws {
    let scan: [UInt8] = [0xff, 0xda, 0, 8, 1, 1, 0, 0, 0, 0, 0x55, 0xff, 0, 0xff, 0xd0, 0x55]
    func progressive(_ side: UInt8, scans: Int) -> [UInt8] {
      [0xff, 0xd8, 0xff, 0xc2, 0, 11, 8, side, 0, side, 0, 1, 1, 0x11, 0]
        + Array(repeatElement(scan, count: scans).joined()) + [0xff, 0xd9]
    }
    for (side, scans) in [(1, 101), (27, 13)] as [(UInt8, Int)] {
      let encoder = ScriptedEncoder(size: 10)
      await #expect(throws: DomainError.invalidImage) {
        try await shrunk(progressive(side, scans: scans), with: encoder, rules: .climb)
      }
      #expect(encoder.qualities == [])
      _ = try? await shrunk(progressive(side, scans: scans - 1), with: encoder, rules: .climb)
      #expect(!encoder.qualities.isEmpty)
    }
  }

  @Test("An image that claims more than fifty million pixels is not decoded")
  func bomb() async {
    let claims = png + [0, 0, 0, 13] + Array("IHDR".utf8) + [0, 1, 0, 0, 0, 1, 0, 0]
    let encoder = ScriptedEncoder(size: 10)
    let refusal = DomainError.imageTooLarge(.pixels(50_000_000))
    await #expect(throws: refusal) { try await shrunk(claims, with: encoder, rules: .climb) }
    let wide: [UInt8] = [
      0xff, 0xd8, 0xff, 0xe0, 0, 2, 0xff, 0xc2, 0, 8, 8, 0xff, 0xff, 0xff, 0xff, 3,
    ]
    await #expect(throws: refusal) { try await shrunk(wide, with: encoder, rules: .climb) }
    // Decoders go on after these bytes, and find the frame header behind them.
    let small = Array(wide[6..<11]) + [0, 1, 0, 1, 3]
    for odd in [
      [0xff, 0x01], [0xff, 0xd0], [0xff, 0xe1, 0, 0], [0xff, 0xe1, 0, 1], [0xff, 0], [7],
    ]
      as [[UInt8]]
    {
      for decoy in [[], small + [0, 0, 0, 0]] {
        let image = Array(wide[..<2]) + odd + decoy + Array(wide[6...])
        await #expect(throws: DomainError.invalidImage) {
          try await shrunk(image, with: encoder, rules: .climb)
        }
      }
    }
    #expect(encoder.qualities == [])
  }

  @Test("Two photos are encoded at once, one of each person and one large one; others wait")
  func queue() async throws {
    let large = png + [0, 0, 0, 13] + Array("IHDR".utf8) + [0, 0, 0x10, 0, 0, 0, 0x10, 0]
    let cases: [(first: [UInt8], others: [(String, [UInt8])])] = [
      (pixel, []), (large, [("bob", large)]),
    ]
    for (image, others) in cases {
      let encoder = SlowEncoder()
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { _ = try await shrunk(image, with: encoder, rules: .climb, for: "ann") }
        while encoder.state.withLock({ $0.begun }) == 0 { await Task.yield() }
        for (person, image) in [("ann", pixel), ("ann", pixel)] + others {
          group.addTask { _ = try await shrunk(image, with: encoder, rules: .climb, for: person) }
        }
        // The first photo is under way all the time, and another person does not wait for it.
        for person in ["cem", "dan"] {
          _ = try await shrunk(pixel, with: encoder, rules: .climb, for: person)
        }
        #expect(encoder.state.withLock { $0.begun } == 3)
        encoder.release()
        try await group.waitForAll()
      }
      #expect(encoder.state.withLock { $0.most } == 2)
    }
  }

  @Test("Headers of any bytes are read without a trap")
  func headers() {
    var random = SplitMix64(seed: 7)
    for start in [png, jpeg, jpeg + [0, 30] + Array("Exif".utf8) + [0, 0, 0x49, 0x49, 42, 0]] {
      for _ in 0..<2_000 {
        let bytes =
          start
          + (0..<Int.random(in: 0...60, using: &random)).map { _ in
            UInt8.random(in: .min ... .max, using: &random)
          }
        _ = ImageHeader(bytes)
        if bytes.starts(with: jpeg) { #expect((1...8).contains(ImageHeader.orientation(bytes))) }
      }
    }
  }

  @Test("An upload stores the photo, then sets it; a deletion deletes it, then clears it")
  func upload() async throws {
    let photos = MemoryPhotos()
    let test = try await TestCore(
      ports: PhotoPorts(storage: photos, encoder: PassThroughEncoder()))
    try await test.people("alice", "bob")
    let path = StoredPath(
      .avatars, "alice", storing: EncodedPhoto(bytes: pixel, contentType: "image/png"),
      at: Timestamp("2026-01-19T09:00:00.000Z")!
    ).text
    #expect(path.hasSuffix(".png"))
    let image = #"{"image":"data:image/png;base64,\#(pixelText)"}"#
    #expect(await test.do("UploadProfilePhoto", as: "alice", image) == #""memory:\#(path)""#)
    #expect(photos.paths == [path])
    let row = try await GetProfile(test.core).execute(.init(user: "alice"), as: nil).row
    #expect(row.photoURL == "memory:" + path)
    let event = try #require(await test.log.read(after: 2, limit: 1).first)
    #expect(
      String(decoding: event.data, as: UTF8.self)
        == #"{"user":"alice","url":"memory:\#(path)","path":"\#(path)","bytes":\#(pixel.count),"#
        + #""contentType":"image/png"}"#)
    #expect(await test.do("DeleteProfilePhoto", as: "alice") == "null")
    #expect(photos.paths == [])
    #expect(await test.do("GetProfile", #"{"user":"alice"}"#).contains(#""photoURL":null"#))
    let before = await test.count
    #expect(await test.do("DeleteProfilePhoto", as: "alice") == "null")
    #expect(await test.count == before)
  }

  @Test("Each failure with a photo has its own code and changes no profile")
  func refusals() async throws {
    let photos = MemoryPhotos()
    let test = try await TestCore(
      ports: PhotoPorts(storage: photos, encoder: PassThroughEncoder()))
    try await test.people("alice", "bob")
    let image = #""image":"data:image/png;base64,\#(pixelText)""#
    #expect(await test.do("UploadProfilePhoto", "{\(image)}") == "unauthorized")
    #expect(await test.do("UploadProfilePhoto", as: "zoe", "{\(image)}") == "profileNotFound")
    #expect(
      await test.do("UploadProfilePhoto", as: "bob", #"{"user":"alice",\#(image)}"#)
        == "notAuthorized")
    #expect(await test.do("DeleteProfilePhoto", as: "bob", #"{"user":"alice"}"#) == "notAuthorized")
    for text in ["data:image/png;base64,R0lGODlh", "data:;base64,"] {
      #expect(
        await test.do("UploadProfilePhoto", as: "bob", #"{"image":"\#(text)"}"#) == "invalidImage")
    }
    for text in ["photo.png", "data:image/png,abc", "data:;base64,a", "data:;base64,a=b="] {
      #expect(
        await test.do("UploadProfilePhoto", as: "bob", #"{"image":"\#(text)"}"#) == "invalidInput")
    }
    photos.fails(true)
    #expect(await test.do("UploadProfilePhoto", as: "bob", "{\(image)}") == "uploadFailed")
    photos.fails(false)
    #expect(photos.paths == [])
    #expect(await test.count == 2)
    _ = await test.do("UploadProfilePhoto", as: "bob", "{\(image)}")
    photos.fails(true)
    #expect(await test.do("DeleteProfilePhoto", as: "bob") == "storageFailed")
    #expect(await test.do("GetProfile", as: "bob").contains("memory:"))
  }

  @Test("If the profile cannot be changed, the upload stays, and a retry finds it")
  func profileUpdateFailed() async throws {
    let photos = MemoryPhotos()
    let log = InMemoryLog()
    let core = try await Core(log)
    _ = try await CreateProfile(core).execute(.init(user: "a", handle: "alice"), as: "a")
    let late = Caller("a", at: .earliest)
    let upload = UploadProfilePhoto(core, photos, PassThroughEncoder())
    let error = await #expect(throws: UseCaseError.self) {
      try await upload.execute(.init(image: pixel), as: late)
    }
    #expect(error?.code == "profileUpdateFailed")
    #expect(photos.paths.count == 1)
    #expect(try await GetProfile(core).execute(.init(), as: "a").row.photoURL == nil)
    _ = try await upload.execute(.init(image: pixel), as: "a")
    #expect(try await GetProfile(core).execute(.init(), as: "a").row.photoURL != nil)
  }
}
