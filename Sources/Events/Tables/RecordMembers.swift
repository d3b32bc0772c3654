/// Encodes or decodes the fields of an event's data for a `Records` table: without the fields'
/// names, and with ids as dense numbers.
private struct RecordMembers: MemberCoder {
  var coder = RecordCoder()

  mutating func callAsFunction<V: WireValue>(_: StaticString, _ value: inout V) { coder(&value) }

  mutating func callAsFunction<V: WireValue>(_: StaticString, _ value: inout V?) { coder(&value) }

  mutating func callAsFunction<V: WireValue>(_: StaticString, _ value: inout Patch<V>) {
    var (clears, new) = value.parts
    coder(&clears)
    coder(&new)
    if coder.isReading { value = new.map(Patch.set) ?? (clears ? .clear : .keep) }
  }
}

extension Patch {
  /// Whether the patch clears the field, and the new value that the patch sets (nil if it sets
  /// none).
  fileprivate var parts: (Bool, Value?) {
    switch self {
    case .keep: (false, nil)
    case .clear: (true, nil)
    case .set(let value): (false, value)
    }
  }
}

extension RecordCoder {
  /// Encodes or decodes an event's data or a part of it. The ids are stored as dense numbers of the
  /// `Names` table in the same checkpoint.
  mutating func data<D: WireMembers>(_ data: inout D) {
    var members = RecordMembers()
    swap(&members.coder, &self)
    // Coding records never throws an error.
    try? data.code(with: &members)
    swap(&members.coder, &self)
  }

  /// Encodes or decodes a value as its raw text.
  fileprivate mutating func word<V: RawRepresentable<String>>(_ value: inout V) {
    var text = value.rawValue
    self(&text)
    if isReading, let read = V(rawValue: text) { value = read }
  }
}

extension ProfilePhotoSet: Storable {
  public static let blank = Self()
  public mutating func code(with coder: inout RecordCoder) { coder.data(&self) }
}

extension BaseLocationSet: Storable {
  public static let blank = Self()
  public mutating func code(with coder: inout RecordCoder) { coder.data(&self) }
}

extension SportSet: Storable {
  public static let blank = Self()
  public mutating func code(with coder: inout RecordCoder) { coder.data(&self) }
}

extension PremiumRecorded: Storable {
  public static let blank = Self()
  public mutating func code(with coder: inout RecordCoder) { coder.data(&self) }
}

extension WorkoutShared: Storable {
  public static let blank = Self()
  public mutating func code(with coder: inout RecordCoder) { coder.data(&self) }
}

extension WorkoutDetailAttached: Storable {
  public static let blank = Self()
  public mutating func code(with coder: inout RecordCoder) { coder.data(&self) }
}

extension Interval: Storable {
  public static let blank = Self()
  public mutating func code(with coder: inout RecordCoder) { coder.data(&self) }
}

extension CommentPosted: Storable {
  public static let blank = Self()
  public mutating func code(with coder: inout RecordCoder) { coder.data(&self) }
}

extension GroupCreated: Storable {
  public static let blank = Self()
  public mutating func code(with coder: inout RecordCoder) { coder.data(&self) }
}

extension MessageSent: Storable {
  public static let blank = Self()
  public mutating func code(with coder: inout RecordCoder) { coder.data(&self) }
}

extension ContentReported: Storable {
  public static let blank = Self()
  public mutating func code(with coder: inout RecordCoder) { coder.data(&self) }
}

extension ProfileMembers {
  package mutating func codeMembers(with coder: inout RecordCoder) {
    coder(&handle)
    coder(&displayName)
    coder(&bio)
    coder(&homeGym)
    coder(&homeZIP)
    coder(&climbingSince)
    coder(&favoriteStyle)
    coder(&boulderGradeScale)
    coder(&routeGradeScale)
    coder(&isPublic)
    coder(&riderType)
  }
}

extension Timestamp: Storable {
  public static var blank: Self { .epoch }
  public mutating func code(with coder: inout RecordCoder) { coder(&milliseconds) }
}

extension DateTime: Storable {
  public static let blank = DateTime(.epoch)

  public mutating func code(with coder: inout RecordCoder) {
    // If the text is the instant's usual form, only the instant is stored, which takes a third of
    // the text's bytes.
    var instant = instant
    var unusual = coder.isReading || text == instant.description ? nil : text
    coder(&unusual)
    if unusual == nil { coder(&instant) }
    if coder.isReading { self = unusual.flatMap(DateTime.init) ?? DateTime(instant) }
  }
}

extension CalendarDate: Storable {
  public static var blank: Self { Timestamp.epoch.date }

  public mutating func code(with coder: inout RecordCoder) {
    var text = description
    coder(&text)
    if coder.isReading { self = CalendarDate(text) ?? .blank }
  }
}

extension RiderType: Storable {
  public static var blank: Self { .rider }
  public mutating func code(with coder: inout RecordCoder) { coder.word(&self) }
}

extension Audience: Storable {
  public static var blank: Self { .friends }

  public mutating func code(with coder: inout RecordCoder) {
    var number: UInt8 =
      switch self {
      case .private: 0
      case .friends: 1
      case .followers: 2
      case .public: 3
      }
    coder(&number)
    self = [.private, .friends, .followers, .public][Int(min(number, 3))]
  }
}

extension ReactionKind: Storable {
  public static var blank: Self { .fire }

  public mutating func code(with coder: inout RecordCoder) {
    var number = number
    coder(&number)
    self = Self.allCases[min(Int(number), Self.allCases.count - 1)]
  }
}

extension SkillLevel: Storable {
  public static var blank: Self { .beginner }
  public mutating func code(with coder: inout RecordCoder) { coder.word(&self) }
}

extension SportID: Storable {
  public static var blank: Self { SportID(unchecked: "rowing") }

  public mutating func code(with coder: inout RecordCoder) {
    var name = name
    coder(&name)
    if coder.isReading { self = SportID(unchecked: name) }
  }
}

// These values are encoded as their index in `allCases`.
extension Storable where Self: CaseIterable, Self: RawRepresentable<String> {
  public static var blank: Self { allCases[allCases.startIndex] }

  public mutating func code(with coder: inout RecordCoder) {
    let words = Array(Self.allCases)
    var number = UInt8(words.firstIndex { $0.rawValue == rawValue } ?? 0)
    coder(&number)
    self = words[min(Int(number), words.count - 1)]
  }
}

extension MemberRole: Storable {}
extension ReportedContent.Kind: Storable {}
extension ReportOutcome: Storable {}

extension EventID: Storable {
  public static var blank: Self { Self(high: 0, low: 0) }

  public mutating func code(with coder: inout RecordCoder) {
    var (high, low) = (high, low)
    coder(&high)
    coder(&low)
    if coder.isReading { self = Self(high: high, low: low) }
  }
}

extension Storable where Self: DenseID {
  public static var blank: Self { Self(index: 0) }
  public mutating func code(with coder: inout RecordCoder) {
    var index = index
    coder(&index)
    if coder.isReading { self = Self(index: index) }
  }
}

extension UserID: Storable {}
extension WorkoutID: Storable {}
extension CommentID: Storable {}
extension GroupID: Storable {}
extension MessageID: Storable {}
extension ReportID: Storable {}
