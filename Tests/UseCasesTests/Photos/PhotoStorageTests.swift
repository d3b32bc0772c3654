import Events
import Foundation
import Synchronization
import Testing

@testable import UseCases

@Suite struct PhotoStorageTests {
  private let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
  private let path = "avatars/alice/1768813200_1a2b3c4d.jpg"

  private func contents(_ path: String) -> [UInt8]? {
    (try? Data(contentsOf: folder.appending(path: path))).map(Array.init)
  }

  @Test("A photo is stored at its path, replaced, and deleted; a missing one is no error")
  func roundTrip() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let photos = PhotoFolder(folder.path, baseURL: "https://example.org/")
    #expect(try await photos.put([1, 2, 3], at: path) == "https://example.org/" + path)
    #expect(contents(path) == [1, 2, 3])
    _ = try await photos.put(Array(repeating: 9, count: 3 << 20), at: path)
    #expect(contents(path)?.count == 3 << 20)
    try await photos.delete(path)
    #expect(contents(path) == nil)
    try await photos.delete(path)
  }

  @Test("Nothing is stored, listed or deleted through a link inside the folder")
  func links() async throws {
    let (outside, link) = (folder.path + "-outside", folder.path + "-link")
    let files = FileManager.default
    defer { for path in [folder.path, outside, link] { try? files.removeItem(atPath: path) } }
    try files.createDirectory(at: folder, withIntermediateDirectories: true)
    try files.createDirectory(atPath: outside + "/alice", withIntermediateDirectories: true)
    try Data([7]).write(to: URL(filePath: outside + "/alice/1_2.jpg"))
    try files.createSymbolicLink(
      atPath: folder.path + "/avatars", withDestinationPath: outside)
    try files.createDirectory(
      at: folder.appending(path: "workouts"), withIntermediateDirectories: true)
    try files.createSymbolicLink(
      atPath: folder.path + "/workouts/w1", withDestinationPath: outside)
    try files.createSymbolicLink(atPath: link, withDestinationPath: folder.path)
    let photos = PhotoFolder(link)
    await #expect(throws: PhotoStorageError.self) {
      try await photos.delete("avatars/alice/1_2.jpg")
    }
    await #expect(throws: PhotoStorageError.self) { try await photos.deleteAll(of: "alice") }
    await #expect(throws: PhotoStorageError.self) {
      _ = try await photos.put([1], at: "avatars/alice/3_4.jpg")
    }
    await #expect(throws: PhotoStorageError.self) { _ = try await photos.list("avatars") }
    #expect(try await photos.list("workouts")?.isEmpty == true)
    #expect(try files.subpathsOfDirectory(atPath: outside).sorted() == ["alice", "alice/1_2.jpg"])
    #expect(try await photos.put([1], at: "groups/g/1_2.jpg") == "groups/g/1_2.jpg")
  }

  @Test("Characters that a URL may not have are percent-encoded")
  func escaping() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let url = try await PhotoFolder(folder.path).put([1], at: "avatars/a%b?c#d<e>/1_2.jpg")
    #expect(url == "avatars/a%25b%3Fc%23d%3Ce%3E/1_2.jpg")
    #expect(contents("avatars/a%b?c#d<e>/1_2.jpg") == [1])
  }

  @Test(
    "A path that leads out of the folder is refused",
    arguments: [
      "../x.jpg", "avatars/../../x.jpg", "/etc/x.jpg", "avatars//x.jpg", "", "a/.", "a\0b",
    ])
  func escapes(_ path: String) async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let photos = PhotoFolder(folder.path)
    await #expect(throws: PhotoStorageError.self) { try await photos.put([1], at: path) }
    await #expect(throws: PhotoStorageError.self) { try await photos.delete(path) }
  }

  @Test("The path has the user's id, the second, and a hash of the bytes")
  func paths() {
    let time = Timestamp(milliseconds: 1_768_813_200_999)
    func photo(_ bytes: [UInt8], _ type: String = "image/jpeg") -> EncodedPhoto {
      EncodedPhoto(bytes: bytes, contentType: type)
    }
    let path = StoredPath(.avatars, "alice", storing: photo(Array("abc".utf8)), at: time)
    // XXH64("abc") = 44bc2cf5ad770999
    #expect(path.text == "avatars/alice/1768813200_44bc2cf5.jpg")
    #expect(
      StoredPath(.workouts, "w1", storing: photo(Array("abc".utf8), "image/png"), at: time).text
        == "workouts/w1/1768813200_44bc2cf5.png")
    #expect(
      StoredPath(.avatars, "b", storing: photo([1]), at: time)
        != StoredPath(.avatars, "b", storing: photo([2]), at: time))
  }

  @Test("If any call fails, the old or the new photo is there, whole, and no other file")
  func everyFailure() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let old = [UInt8](repeating: 1, count: 5_000)
    let new = [UInt8](repeating: 2, count: 7_000)
    _ = try await PhotoFolder(folder.path).put(old, at: path)
    var failures = 0
    for k in 1... {
      let calls = CountedCalls(failing: k)
      let photos = PhotoFolder(folder.path, files: calls.files)
      do {
        _ = try await photos.put(new, at: path)
      } catch {
        failures += 1
        #expect("\(error)".contains("Input/output error"))
      }
      #expect(contents(path) == old || contents(path) == new)
      if calls.count < k { break }
      _ = try await PhotoFolder(folder.path).put(old, at: path)
      let beside = try FileManager.default.contentsOfDirectory(
        atPath: folder.appending(path: "avatars/alice").path)
      #expect(beside == ["1768813200_1a2b3c4d.jpg"])
    }
    #expect(failures >= 8)
    #expect(contents(path) == new)
  }
}

/// The operating system, but the k-th call fails with EIO; writes are short.
private final class CountedCalls: Sendable {
  private let calls = Mutex(0)
  private let k: Int

  init(failing k: Int) { self.k = k }

  var count: Int { calls.withLock { $0 } }

  private func call(_ path: String) throws(FileError) {
    let number = calls.withLock {
      $0 += 1
      return $0
    }
    if number == k { throw FileError(call: "test", path: path, code: 5) }
  }

  var files: FileSystem {
    var files = FileSystem.posix
    let posix = FileSystem.posix
    files.open = { [self] (path, mode) throws(FileError) in
      try call(path)
      return try posix.open(path, mode)
    }
    files.write = { [self] (file, bytes, count, path) throws(FileError) in
      try call(path)
      return try posix.write(file, bytes, min(count, 3_000), path)
    }
    files.sync = { [self] (file, path) throws(FileError) in
      try call(path)
      try posix.sync(file, path)
    }
    files.rename = { [self] (from, to) throws(FileError) in
      try call(from)
      try posix.rename(from, to)
    }
    files.makeDirectory = { [self] (path) throws(FileError) in
      try call(path)
      try posix.makeDirectory(path)
    }
    files.syncDirectory = { [self] (path) throws(FileError) in
      try call(path)
      try posix.syncDirectory(path)
    }
    return files
  }
}
