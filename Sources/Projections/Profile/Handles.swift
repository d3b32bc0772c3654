import Events

/// The current handle of each user, and whether the user's account exists.
///
/// - Complexity: O(1) per event. Memory: 16 to 32 bytes per user, plus at most twice the handles.
public struct Handles: FamilyProjection {
  public static let name = "handles"
  public static let version = 2
  public static let handles: EventTypes = [.profileCreated, .profileEdited, .accountDeleted]

  /// The range of a user's handle in `texts`, or a mark that the user has no account.
  private struct Place: BitwiseCopyable, Equatable {
    static let unknown = Place(start: 0, count: 0)
    static let deleted = Place(start: 1, count: 0)

    var start: UInt64
    var count: UInt32

    var isOpen: Bool { count > 0 }
  }
  private var places = Slab(blank: Place.unknown)
  private var texts = Slab<UInt8>(blank: 0)
  /// The number of bytes of `texts` that belong to no current handle.
  private var unused = 0

  public init() {}

  public mutating func apply(_ event: borrowing ProfileEvent, at moment: Moment) {
    switch event {
    case .created(let profile):
      if place(of: profile.user) == .unknown { set(profile.handle, profile.user) }
    case .edited(let edit):
      guard !edit.handle.isKeep, place(of: edit.user).isOpen else { return }
      set(edit.handle.value, edit.user)
    case .photoSet, .photoRemoved, .baseLocationSet,
      .baseLocationCleared, .sportSet, .sportRemoved,
      .sendLogged, .weeklyGoalSet, .premiumRecorded:
      break
    }
  }

  public mutating func removeAccount(_ user: UserID) { set(.deleted, user) }

  private func place(of user: UserID) -> Place {
    Int(user.index) < places.count ? places[Int(user.index)] : .unknown
  }

  private mutating func set(_ place: Place, _ user: UserID) {
    places.grow(to: Int(user.index) + 1)
    unused += Int(places[Int(user.index)].count)
    places[Int(user.index)] = place
  }

  /// The byte that `texts` holds for a missing handle, and the byte for an empty one. Only an
  /// imported log has empty handles. A user without any byte has no account.
  private static let (absent, empty): (UInt8, UInt8) = (1, 0)

  private mutating func set(_ handle: String?, _ user: UserID) {
    let start = UInt64(texts.count)
    if var handle, !handle.isEmpty {
      handle.withUTF8 { texts.append(contentsOf: $0) }
    } else {
      texts.append(handle == nil ? Self.absent : Self.empty)
    }
    set(Place(start: start, count: UInt32(texts.count - Int(start))), user)
  }

  public mutating func settle() {
    guard unused > 1 << 16, unused * 2 > texts.count else { return }
    var compact = Slab<UInt8>(blank: 0)
    for index in places.indices where places[index].isOpen {
      let start = UInt64(compact.count)
      texts.withElements(range(places[index])) { compact.append(contentsOf: $0) }
      places[index].start = start
    }
    (texts, unused) = (compact, 0)
  }

  /// Returns a handle's range, which is within `texts` even if the checkpoint is damaged.
  private func range(_ place: Place) -> Range<Int> {
    let start = min(place.start, UInt64(texts.count))
    let end = min(start + UInt64(place.count), UInt64(texts.count))
    return Int(start)..<Int(end)
  }

  /// Returns whether the user has an open account.
  public func isOpen(_ user: UserID) -> Bool { place(of: user).isOpen }

  /// The user's handle; nil if the user has no handle or no account.
  public subscript(user: UserID) -> String? {
    let place = place(of: user)
    guard place.isOpen else { return nil }
    return texts.withElements(range(place)) { bytes in
      switch bytes.first {
      case Self.empty: ""
      case Self.absent: nil
      default: String(decoding: bytes, as: UTF8.self)
      }
    }
  }

  /// Returns whether the user's account is deleted.
  public func isDeleted(_ user: UserID) -> Bool { place(of: user) == .deleted }

  /// Encodes the state after `settle` into a checkpoint, or decodes it from one.
  public mutating func code(with coder: inout StateCoder) {
    coder(&places)
    coder(&texts)
    coder(&unused)
  }
}
