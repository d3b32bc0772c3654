extension StateCoder {
  /// An event's data, in the form of a line: this reuses the codec instead of listing all members
  /// again. Ids belong to the names in the same checkpoint.
  mutating func data<D: EventData>(_ data: inout D) {
    guard isReading else {
      var out = ByteBuffer()
      withUnsafePointer(to: names) { names in
        withUnsafeMutablePointer(to: &out) { out in
          var writer = MemberWriter(out, names)
          data.write(to: &writer)
          writer.end()
        }
      }
      var bytes = out.array
      var count = bytes.count
      self.count(&count)
      return bytes.withUnsafeMutableBytes { self.bytes($0) }
    }
    var count = 0
    self.count(&count)
    guard let range = take(count) else { return }
    let found = parts[0].values.withUnsafeBufferPointer { values in
      Self.decode(D.self, UnsafeBufferPointer(rebasing: values[range]), &names)
    }
    if let found { data = found } else { fail() }
  }

  private static func decode<D: EventData>(
    _: D.Type, _ bytes: UnsafeBufferPointer<UInt8>, _ names: inout Names
  ) -> D? {
    guard let base = bytes.baseAddress else { return nil }
    return withUnsafeMutablePointer(to: &names) { names -> D? in
      var fast = FastReader(base, base + bytes.count, names)
      if let found = try? D(from: &fast), fast.isAtEnd() { return found }
      var tape = JSONTape()
      guard (try? tape.parse(bytes)) != nil else { return nil }
      return withUnsafePointer(to: tape) { tape in
        var strict = TapeReader(tape, bytes, names, object: 0, path: "data")
        return try? D(from: &strict)
      }
    }
  }
}

extension ProfilePhotoSet: Storable {
  public static var blank: Self { .placeholder }
  public mutating func code(with coder: inout StateCoder) { coder.data(&self) }
}

extension BaseLocationSet: Storable {
  public static var blank: Self { .placeholder }
  public mutating func code(with coder: inout StateCoder) { coder.data(&self) }
}

extension SportSet: Storable {
  public static var blank: Self { .placeholder }
  public mutating func code(with coder: inout StateCoder) { coder.data(&self) }
}

extension WorkoutShared: Storable {
  public static var blank: Self { .placeholder }
  public mutating func code(with coder: inout StateCoder) { coder.data(&self) }
}

extension WorkoutDetailAttached: Storable {
  public static var blank: Self { .placeholder }
  public mutating func code(with coder: inout StateCoder) { coder.data(&self) }
}

extension CommentPosted: Storable {
  public static var blank: Self { .placeholder }
  public mutating func code(with coder: inout StateCoder) { coder.data(&self) }
}

extension ProfileMembers {
  package mutating func codeMembers(with coder: inout StateCoder) {
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
