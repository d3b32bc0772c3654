import Events
import Synchronization
import Testing
import UseCasesTesting

@testable import UseCases

/// A storage in memory that lists its files with a test's clock.
final class ListedPhotos: PhotoStorage {
  private let stored = Mutex<[String: Timestamp]>([:])
  private let now: @Sendable () -> Timestamp

  init(_ now: @escaping @Sendable () -> Timestamp) { self.now = now }

  var paths: [String] { stored.withLock { $0.keys.sorted() } }

  func put(_ bytes: [UInt8], at path: String) async throws(PhotoStorageError) -> String {
    stored.withLock { $0[path] = now() }
    return "https://photos.example.org/public/" + path
  }

  func delete(_ path: String) async throws(PhotoStorageError) {
    _ = stored.withLock { $0.removeValue(forKey: path) }
  }

  func list(_ folder: String) async throws(PhotoStorageError) -> [StoredFile]? {
    stored.withLock { stored in
      stored.filter { $0.key.hasPrefix(folder + "/") }
        .map { StoredFile(path: $0.key, changed: $0.value) }
    }
  }
}

/// Unnamed photos are removed, from any source; named ones stay.
@Suite struct PhotoSweepTests {
  private let image = #""image":"data:image/png;base64,\#(pixelText)""#

  private func world() async throws -> (TestCore, ListedPhotos) {
    let test = try await TestCore()
    let photos = ListedPhotos(test.core.environment.now)
    let ports = PhotoPorts(storage: photos, encoder: PassThroughEncoder())
    var copy = test
    copy.ports = ports
    try await copy.people("ann", "ben")
    return (copy, photos)
  }

  /// Puts a photo into the storage like a client, and names it by its address.
  private func putAndName(
    _ test: TestCore, _ photos: ListedPhotos, _ path: String, as user: String
  ) async throws {
    let url = try await photos.put(pixel, at: path)
    #expect(await test.do("SetPhotoURL", as: user, #"{"url":"\#(url)?t=1"}"#) == "null")
  }

  @Test(
    "The next sweep removes a photo that was replaced, deleted, or whose account was deleted")
  func ended() async throws {
    let (test, photos) = try await world()
    var sweep = PhotoSweep(test.core, photos)
    try await putAndName(test, photos, "avatars/ann/1.jpg", as: "ann")
    try await putAndName(test, photos, "avatars/ben/1.jpg", as: "ben")
    #expect(try await sweep.run() == 0)
    test.clock.advance(by: 60)
    try await putAndName(test, photos, "avatars/ann/2.jpg", as: "ann")
    #expect(try await sweep.run() == 1)
    #expect(photos.paths == ["avatars/ann/2.jpg", "avatars/ben/1.jpg"])
    test.clock.advance(by: 7_200)
    #expect(try await sweep.run() == 0)
    // The profile names the photo only by its address.
    #expect(await test.do("DeleteProfilePhoto", as: "ann") == "null")
    #expect(photos.paths == ["avatars/ben/1.jpg"])
    _ = try await photos.put(pixel, at: "avatars/ben/unnamed.jpg")
    #expect(await test.do("DeleteAccount", as: "ben") == "null")
    #expect(try await sweep.run() == 2)
    #expect(photos.paths == [])
  }

  @Test("An address with the user's UUID in capitals names the photo in the user's folder")
  func capitals() async throws {
    let (test, photos) = try await world()
    let user = "3f2a0c11-9b7e-4a55-8d21-6e0f9ab4c7d3"
    _ = try await CreateProfile(test.core).execute(
      .init(user: user, handle: "cem"), as: Caller(user))
    let path = "avatars/\(user)/1.jpg"
    let url = try await photos.put(pixel, at: path).replacing(user, with: user.uppercased())
    #expect(await test.do("SetPhotoURL", as: user, #"{"url":"\#(url)"}"#) == "null")
    test.clock.advance(by: 7_200)
    var sweep = PhotoSweep(test.core, photos)
    #expect(try await sweep.run() == 0)
    #expect(photos.paths == [path])
    #expect(await test.do("DeleteProfilePhoto", as: user) == "null")
    #expect(photos.paths == [])
  }

  @Test("A photo depends only on its owner's profile, not on others that name it")
  func others() async throws {
    let (test, photos) = try await world()
    try await putAndName(test, photos, "avatars/ann/1.jpg", as: "ann")
    let url = "https://photos.example.org/public/avatars/ann/1.jpg"
    #expect(await test.do("SetPhotoURL", as: "ben", #"{"url":"\#(url)"}"#) == "null")
    #expect(await test.do("DeleteProfilePhoto", as: "ben") == "null")
    var sweep = PhotoSweep(test.core, photos)
    #expect(try await sweep.run() == 0)
    #expect(photos.paths == ["avatars/ann/1.jpg"])
    // The photo is removed although another profile names it.
    #expect(await test.do("SetPhotoURL", as: "ben", #"{"url":"\#(url)"}"#) == "null")
    test.clock.advance(by: 10)
    #expect(
      await test.do("SetPhotoURL", as: "ann", #"{"url":"https://example.org/x.jpg"}"#) == "null")
    #expect(try await sweep.run() == 1)
    #expect(photos.paths == [])
  }

  @Test("A stored but unnamed photo stays for an hour, in which a profile may name it")
  func unnamed() async throws {
    let (test, photos) = try await world()
    var sweep = PhotoSweep(test.core, photos)
    _ = try await photos.put(pixel, at: "avatars/ann/1.jpg")
    _ = try await photos.put(pixel, at: "avatars/ann/2.jpg")
    #expect(try await sweep.run() == 0)
    test.clock.advance(by: 3_500)
    #expect(try await sweep.run() == 0)
    let url = "https://photos.example.org/public/avatars/ann/1.jpg"
    #expect(await test.do("SetPhotoURL", as: "ann", #"{"url":"\#(url)"}"#) == "null")
    test.clock.advance(by: 200)
    #expect(try await sweep.run() == 1)
    #expect(photos.paths == ["avatars/ann/1.jpg"])
    // A file with a reused name is a new photo.
    test.clock.advance(by: 60)
    #expect(await test.do("DeleteProfilePhoto", as: "ann") == "null")
    test.clock.advance(by: 1)
    _ = try await photos.put(pixel, at: "avatars/ann/1.jpg")
    #expect(try await sweep.run() == 0)
    #expect(photos.paths == ["avatars/ann/1.jpg"])
  }

  @Test("A newer photo replaces photos that no event has named, and none that are newer than it")
  func neverNamed() async throws {
    let (test, photos) = try await world()
    var sweep = PhotoSweep(test.core, photos)
    for number in 1...3 {
      _ = try await photos.put(pixel, at: "avatars/ann/\(number).jpg")
      test.clock.advance(by: 5)
    }
    let url = "https://photos.example.org/public/avatars/ann/2.jpg"
    #expect(await test.do("SetPhotoURL", as: "ann", #"{"url":"\#(url)"}"#) == "null")
    // The event of the first photo may still follow.
    #expect(try await sweep.run() == 0)
    test.clock.advance(by: 30)
    #expect(try await sweep.run() == 1)
    #expect(photos.paths == ["avatars/ann/2.jpg", "avatars/ann/3.jpg"])
    test.clock.advance(by: 3_000)
    #expect(try await sweep.run() == 0)
    test.clock.advance(by: 700)
    #expect(try await sweep.run() == 1)
    #expect(photos.paths == ["avatars/ann/2.jpg"])
  }

  @Test("A photo that was stored again after its event is removed with the newer photo's event")
  func storedAgain() async throws {
    let (test, photos) = try await world()
    var sweep = PhotoSweep(test.core, photos)
    try await putAndName(test, photos, "avatars/ann/1.jpg", as: "ann")
    test.clock.advance(by: 7_200)
    #expect(try await sweep.run() == 0)
    _ = try await photos.put(pixel, at: "avatars/ann/1.jpg")
    test.clock.advance(by: 60)
    try await putAndName(test, photos, "avatars/ann/2.jpg", as: "ann")
    _ = try await sweep.run()
    test.clock.advance(by: 30)
    _ = try await sweep.run()
    #expect(photos.paths == ["avatars/ann/2.jpg"])
  }

  @Test("A photo that arrives while its account is deleted is removed, also by a new server")
  func late() async throws {
    let (test, photos) = try await world()
    var sweep = PhotoSweep(test.core, photos)
    #expect(await test.do("DeleteAccount", as: "ben") == "null")
    #expect(try await sweep.run() == 0)
    test.clock.advance(by: 5)
    _ = try await photos.put(pixel, at: "avatars/ben/1.jpg")
    test.clock.advance(by: 5)
    #expect(try await sweep.run() == 1)
    test.clock.advance(by: 100_000)
    _ = try await photos.put(pixel, at: "avatars/ben/2.jpg")
    // The account of a photo without a profile may follow, as in an import.
    _ = try await photos.put(pixel, at: "avatars/cem/1.jpg")
    var other = PhotoSweep(test.core, photos)
    #expect(try await other.run() == 1)
    #expect(photos.paths == ["avatars/cem/1.jpg"])
  }

  @Test("A new server finds unnamed photos that an earlier one left, of any age")
  func startsLate() async throws {
    let (test, photos) = try await world()
    try await putAndName(test, photos, "avatars/ann/1.jpg", as: "ann")
    test.clock.advance(by: 7_200)
    try await putAndName(test, photos, "avatars/ann/2.jpg", as: "ann")
    test.clock.advance(by: 60)
    try await putAndName(test, photos, "avatars/ann/3.jpg", as: "ann")
    var sweep = PhotoSweep(test.core, photos)
    #expect(try await sweep.run() == 2)
    #expect(photos.paths == ["avatars/ann/3.jpg"])
  }

  @Test("A workout's photo is removed with its replacement, the workout or the account")
  func workouts() async throws {
    let (test, photos) = try await world()
    var sweep = PhotoSweep(test.core, photos)
    for workout in ["w1", "w2", "w3"] {
      await test.share(workout, by: workout == "w3" ? "ben" : "ann")
      let user = workout == "w3" ? "ben" : "ann"
      let path = await test.do(
        "AttachWorkoutPhoto", as: user, #"{"workout":"\#(workout)",\#(image)}"#)
      #expect(path.hasPrefix("\"workouts/\(workout)/") && path.hasSuffix(".png\""), "\(path)")
    }
    #expect(photos.paths.count == 3)
    #expect(try await sweep.run() == 0)
    test.clock.advance(by: 5)
    _ = await test.do("AttachWorkoutPhoto", as: "ann", #"{"workout":"w1",\#(image)}"#)
    #expect(photos.paths.count == 4)
    #expect(try await sweep.run() == 1)
    _ = await test.do("RemoveWorkout", as: "ann", #"{"workout":"w2"}"#)
    #expect(try await sweep.run() == 1)
    _ = await test.do("DeleteAccount", as: "ben")
    #expect(try await sweep.run() == 1)
    #expect(photos.paths.count == 1 && photos.paths[0].hasPrefix("workouts/w1/"))
  }

  @Test("The intervals' image may name only the workout's own photo")
  func images() async throws {
    let (test, photos) = try await world()
    await test.share("w1", by: "ann")
    await test.share("w2", by: "ann")
    let first = await test.do("AttachWorkoutPhoto", as: "ann", #"{"workout":"w1",\#(image)}"#)
    let second = await test.do("AttachWorkoutPhoto", as: "ann", #"{"workout":"w2",\#(image)}"#)
    func attach(_ image: String, as user: String = "ann") async -> String {
      await test.do(
        "AttachWorkoutDetail", as: user, #"{"workout":"w1","intervals":[],"image":\#(image)}"#)
    }
    #expect(await attach(first) == "null")
    for image in [
      second, #""javascript:alert(1)""#, #""https://example.org/a.jpg""#, #""""#,
      #""workouts/w1/0_0.jpg""#, #""workouts/w1/../w2/x.jpg""#,
    ] {
      #expect(await attach(image) == "invalidWorkout", "\(image)")
    }
    #expect(await attach(#""x""#, as: "ben") != "null")
    #expect(await test.do("GetWorkoutDetail", as: "ann", #"{"workout":"w1"}"#).contains(first))
    // Without it the photo is no longer the workout's.
    _ = await test.do("AttachWorkoutDetail", as: "ann", #"{"workout":"w1","intervals":[]}"#)
    #expect(await attach(first) == "invalidWorkout")
    #expect(photos.paths.count == 2)
  }

  @Test("An older log's text in the image member stays readable, and check accepts it")
  func older() async throws {
    let (test, _) = try await world()
    await test.share("w1", by: "ann")
    var names = Names()
    let detail = WorkoutDetailAttached(
      workout: try names.workout("w1"), intervals: [], image: "old text", ocrConfidence: nil,
      wasManuallyEdited: false)
    try await test.log.append(
      Commit([NewEvent(.workout(.detailAttached(detail)), actor: "ann", names: names)]))
    let shown = await test.do("RefreshWorkoutDetail", as: "ann", #"{"workout":"w1"}"#)
    #expect(shown.contains(#""image":"old text""#), "\(shown)")
    let again = await test.do(
      "AttachWorkoutDetail", as: "ann",
      #"{"workout":"w1","intervals":[],"image":"old text","wasManuallyEdited":true}"#)
    #expect(again == "invalidWorkout")
  }
}
