import EventLog
import Events
import Synchronization

/// A disk in memory whose power can fail: unsynced changes are then lost, in whole or in part, in
/// any order.
///
/// ```swift
/// let disk = SimulatedDisk()
/// let log = try FileLog(path: "/log", creating: true, files: disk.files)
/// …
/// disk.losePower(.reordered, &random)
/// try LogView(path: "/log", files: disk.files)
/// ```
/// It guarantees what POSIX does, and no more: a file's bytes are safe after `sync`, a name after
/// `syncDirectory` of its folder. A write of up to a sector is whole or absent. Each unsynced
/// sector, size and name reaches the disk independently, or not. Sectors have 64 bytes, so that
/// small logs have many.
public final class SimulatedDisk: Sendable {
  public struct Failure: Sendable {
    public var code: Int32
    /// The part of a write that is done nevertheless, 0 to 1.
    public var part: Double

    public init(code: Int32, part: Double = 0) {
      self.code = code
      self.part = part
    }
  }

  /// Decides about a call, by its name, its path, and its number among all calls.
  public typealias Rule = @Sendable (_ call: String, _ path: String, _ number: Int) -> Failure?

  /// The unsynced changes that survive.
  public enum Loss: CaseIterable, Sendable {
    /// None.
    case dropped
    /// A first part of each file, and the first changes of each folder.
    case cut
    /// Any sectors, any sizes, any names.
    case reordered
  }

  static let sector = 64

  struct File {
    var bytes: [UInt8] = []
    var synced: [UInt8] = []
    var isFolder = false
    var holder: Int32?
  }

  enum Change {
    case add(String, Int)
    case remove(String)
    case move(String, String, Int)
  }

  struct State {
    var files: [Int: File] = [1: File(isFolder: true)]
    var names: [String: Int] = ["/": 1]
    var syncedNames: [String: Int] = ["/": 1]
    /// By folder, the changes of its names since the last sync.
    var changes: [String: [Change]] = [:]
    var open: [Int32: Int] = [:]
    /// The read position of a descriptor, for reads without an offset.
    var read: [Int32: Int] = [:]
    var next = 2
    var nextDescriptor: Int32 = 1_000
    var calls = 0
    var rule: Rule?
    /// The failure of the last call, if it failed by the rule.
    var failed: Failure?
  }

  let state: Mutex<State>

  public init() { state = Mutex(State()) }

  /// Creates a disk with another's files, without its rule.
  public init(copying other: SimulatedDisk) {
    var copy = other.state.withLock { $0 }
    (copy.calls, copy.rule, copy.failed) = (0, nil, nil)
    let state = copy
    self.state = Mutex(state)
  }

  /// Applies `rule` from now on, and counts calls from 1 again.
  public func begin(_ rule: Rule? = nil) {
    state.withLock { state in
      state.calls = 0
      state.rule = rule
    }
  }

  public var calls: Int { state.withLock { $0.calls } }

  /// The paths of the files, in order.
  public var paths: [String] {
    state.withLock { state in
      state.names.keys.filter { state.files[state.names[$0] ?? 0]?.isFolder == false }.sorted()
    }
  }

  public subscript(path: String) -> [UInt8]? {
    get { state.withLock { state in state.names[path].flatMap { state.files[$0]?.bytes } } }
    set {
      state.withLock { state in
        guard let bytes = newValue else {
          state.names[path] = nil
          state.syncedNames[path] = nil
          return
        }
        let number = state.names[path] ?? state.make(path)
        state.files[number] = File(bytes: bytes, synced: bytes)
        state.syncedNames[path] = number
        state.changes[parentDirectory(path)] = nil
      }
    }
  }

  /// Creates a folder that is on the disk.
  public func makeFolder(_ path: String) {
    state.withLock { state in
      let number = state.make(path, isFolder: true)
      state.syncedNames[path] = number
    }
  }

  /// The power fails and comes back: all files are closed, and unsynced changes are lost.
  public func losePower(_ loss: Loss, _ random: inout some RandomNumberGenerator) {
    // A lock's closure must not capture an inout parameter.
    var state = self.state.withLock { $0 }
    for folder in state.changes.keys.sorted() {
      let changes = state.changes[folder] ?? []
      let cut = Int.random(in: 0...changes.count, using: &random)
      for (index, change) in changes.enumerated() {
        switch loss {
        case .dropped: continue
        case .cut: if index >= cut { continue }
        case .reordered: if Bool.random(using: &random) { continue }
        }
        state.apply(change, to: \.syncedNames)
      }
    }
    // The content of a lost folder is lost.
    state.syncedNames = state.syncedNames.filter { path, _ in
      path == "/" || state.syncedNames[parentDirectory(path)] != nil
    }
    for number in state.files.keys.sorted() {
      let file = state.files[number]!
      if file.isFolder { continue }
      let left = Self.left(of: file, loss, &random)
      state.files[number] = File(bytes: left, synced: left)
    }
    state.names = state.syncedNames
    state.changes = [:]
    state.open = [:]
    state.rule = nil
    let left = state
    self.state.withLock { $0 = left }
  }

  private static func left(
    of file: File, _ loss: Loss, _ random: inout some RandomNumberGenerator
  ) -> [UInt8] {
    if file.bytes == file.synced || loss == .dropped { return file.synced }
    let shorter = min(file.bytes.count, file.synced.count)
    let longer = max(file.bytes.count, file.synced.count)
    if loss == .cut {
      guard file.bytes.starts(with: file.synced) else { return file.synced }
      return Array(file.bytes.prefix(Int.random(in: shorter...longer, using: &random)))
    }
    var left = [UInt8](
      repeating: 0, count: Bool.random(using: &random) ? file.bytes.count : file.synced.count)
    for start in stride(from: 0, to: left.count, by: sector) {
      let source = Bool.random(using: &random) ? file.bytes : file.synced
      for index in start..<min(start + sector, left.count) where index < source.count {
        left[index] = source[index]
      }
    }
    return left
  }
}

extension SimulatedDisk.State {
  mutating func make(_ path: String, isFolder: Bool = false) -> Int {
    let number = next
    next += 1
    files[number] = SimulatedDisk.File(isFolder: isFolder)
    names[path] = number
    return number
  }

  mutating func note(_ change: SimulatedDisk.Change, in folder: String) {
    changes[folder, default: []].append(change)
  }

  mutating func apply(
    _ change: SimulatedDisk.Change, to names: WritableKeyPath<Self, [String: Int]>
  ) {
    switch change {
    case .add(let path, let number): self[keyPath: names][path] = number
    case .remove(let path): self[keyPath: names][path] = nil
    case .move(let from, let to, let number):
      self[keyPath: names][from] = nil
      self[keyPath: names][to] = number
    }
  }
}
