import Events

/// The handles that accounts left, each with its last owner and the time when it became free.
///
/// Entries stay, because how long a handle rests is a matter of the rules.
struct FreedHandles: Sendable {
  /// A handle in lower case that an account no longer has.
  struct Entry: Equatable, Sendable {
    var handle: String
    var user: UserID
    var time: Timestamp
  }

  private var entries = Records<Entry>()
  private var numbers = TextIndex()
  private var made: UInt32 = 0

  private func number(of handle: String) -> UInt32? {
    numbers.first(handle) { entries[$0]?.handle == handle }
  }

  /// The entry of a handle in lower case; nil if no account ever left it.
  subscript(handle: String) -> Entry? {
    get { number(of: handle).flatMap { entries[$0] } }
    set {
      let old = number(of: handle)
      if let newValue {
        let number = old ?? made
        entries[number] = newValue
        if old != nil { return }
        numbers.add(handle, number)
        made += 1
      } else if let old {
        // Only an undo removes an entry, and it removes the newest one.
        numbers.remove(handle, old)
        made -= 1
      }
    }
  }

  mutating func code(with coder: inout StateCoder) {
    entries.code(with: &coder)
    numbers.code(with: &coder)
    coder(&made)
  }
}

extension FreedHandles.Entry: Storable {
  static var blank: Self { Self(handle: "", user: UserID(index: 0), time: .earliest) }

  mutating func code(with coder: inout RecordCoder) {
    coder(&handle)
    coder(&user)
    coder(&time)
  }
}
