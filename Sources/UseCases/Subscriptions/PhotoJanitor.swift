import Events
import Projections
import Replaying

/// A subscriber that removes photos that were replaced, taken down, or of deleted accounts.
///
/// ```swift
/// let janitor = PhotoJanitor(core, photos.storage, from: PositionFile("photos.position"))
/// try await janitor.run()  // how many photos it removed
/// ```
/// It also removes the photos that `PhotoSweep` finds: stored photos that nothing names after an
/// hour, and photos of workouts. The next run retries a failed removal. Without a saved position it
/// reads the whole log.
/// - Complexity: the first run reads the events about photos.
public struct PhotoJanitor: Sendable {
  private let core: Core
  private let photos: any PhotoStorage
  private let storage: any PositionStorage
  private let sweeps: Bool

  /// Creates a janitor; `run` or `follow` removes the photos.
  ///
  /// `storage` keeps the position; two janitors must not share one. If `sweeps` is true, it also
  /// removes photos that nothing names. Pass false on a read-only clone, because others may have
  /// named them since the last pull.
  public init(
    _ core: Core, _ photos: any PhotoStorage, from storage: any PositionStorage,
    sweeps: Bool = true
  ) {
    (self.core, self.photos, self.storage, self.sweeps) = (core, photos, storage, sweeps)
  }

  /// Removes the photos of events up to the end of the log.
  /// - Returns: the number of photos removed.
  /// - Throws: the first failure, after trying the rest; the saved position stays before it.
  @discardableResult
  public func run() async throws(SubscriptionError) -> Int {
    var known = Replay<PhotoPaths>()
    var sweep = PhotoSweep(core, photos)
    return try await run(&known, &sweep)
  }

  /// Removes photos as they are replaced, until its task is cancelled.
  /// - Throws: the errors of `run`.
  public func follow() async throws(SubscriptionError) {
    var known = Replay<PhotoPaths>()
    var sweep = PhotoSweep(core, photos)
    for await _ in core.changes() { try await run(&known, &sweep) }
  }

  @discardableResult
  private func run(
    _ known: inout Replay<PhotoPaths>, _ sweep: inout PhotoSweep
  ) async throws(SubscriptionError) -> Int {
    let view = try await core.snapshot().view
    let start = try await storage.load()
    if let start { try view.check(start) }
    var options = ReplayOptions()
    options.unknown = .skip
    do throws(LogError) { try await known.run(view, options: options) } catch {
      throw .log(error)
    }
    var removed = 0
    var failure: SubscriptionError?
    for (seq, path) in known.projection.outdated where seq > start?.seq ?? 0 {
      do throws(PhotoStorageError) {
        try await photos.delete(path)
        removed += 1
      } catch {
        failure = failure ?? .failed(seq: seq, reason: "\(error)")
      }
      if failure == nil { try await storage.save(try view.position(seq)) }
    }
    if let failure { throw failure }
    let head = SubscriptionPosition(known.head)
    if head.seq > start?.seq ?? 0 { try await storage.save(head) }
    return sweeps ? removed + (try await sweep.run()) : removed
  }
}

private struct PhotoPaths: Projection {
  static let name = "photo-paths"
  static let version = 1
  static let handles: EventTypes = [.profilePhotoSet, .profilePhotoRemoved, .accountDeleted]

  private var photos: [UserID: ProfilePhotoSet] = [:]
  private var ended: [(seq: UInt64, photo: ProfilePhotoSet)] = []

  init() {}

  mutating func apply(_ event: borrowing Event, at moment: Moment) {
    switch event {
    case .profile(.photoSet(let data)): set(data, data.user, moment)
    case .profile(.photoRemoved(let data)), .accountDeleted(let data): set(nil, data.user, moment)
    default: break
    }
  }

  private mutating func set(_ photo: ProfilePhotoSet?, _ user: UserID, _ moment: Moment) {
    if let old = photos[user] { ended.append((moment.seq, old)) }
    photos[user] = photo
  }

  /// The photos that no profile names now by path or by address, with the positions of the events
  /// that replaced or removed them.
  var outdated: [(seq: UInt64, path: String)] {
    let paths = Set(photos.values.compactMap { $0.path })
    let urls = Set(photos.values.map { $0.url })
    return ended.compactMap { seq, photo in
      photo.path.flatMap { paths.contains($0) || urls.contains(photo.url) ? nil : (seq, $0) }
    }
  }
}
