import Events

/// The folded texts of one profile in one array: the handle, the display name, and the handle as
/// the user wrote it, if that differs from the folded handle.
struct SearchText: Sendable, Equatable {
  let user: UInt32
  let bytes: [UInt8]
  let handleCount: Int
  let nameCount: Int

  /// Folds a profile's texts.
  /// - Parameter handle: The handle; empty if there is none.
  init(_ user: UserID, handle: String, displayName: String?) {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(handle.utf8.count + (displayName?.utf8.count ?? 0))
    Folding.append(handle, to: &bytes)
    let handleCount = bytes.count
    if let displayName { Folding.append(displayName, to: &bytes) }
    let nameCount = bytes.count - handleCount
    if !handle.utf8.elementsEqual(bytes[..<handleCount]) { bytes += handle.utf8 }
    self.init(
      user: user.index, bytes: bytes, handleCount: handleCount, nameCount: nameCount)
  }

  init(user: UInt32, bytes: [UInt8], handleCount: Int, nameCount: Int) {
    (self.user, self.bytes) = (user, bytes)
    (self.handleCount, self.nameCount) = (handleCount, nameCount)
  }

  var handle: ArraySlice<UInt8> { bytes[..<handleCount] }
  var name: ArraySlice<UInt8> { bytes[handleCount..<handleCount + nameCount] }
  /// The handle as its user wrote it.
  var ownHandle: ArraySlice<UInt8> {
    bytes.count > handleCount + nameCount ? bytes[(handleCount + nameCount)...] : handle
  }

  /// The value at `search/USER`: folded handle, folded display name, and the handle as written.
  var words: String {
    [handle, name, ownHandle].map { String(decoding: $0, as: UTF8.self) }.joined(separator: " / ")
  }

  /// Returns the texts after an edit; unchanged if the edit sets neither handle nor display name.
  func edited(_ edit: ProfileEdited) -> SearchText {
    if edit.handle.isKeep && edit.displayName.isKeep { return self }
    var (own, folded) = (ownHandle, Array(handle))
    if !edit.handle.isKeep {
      let new = edit.handle.value
      own = Array((new ?? "").utf8)[...]
      folded = new.map(Folding.fold) ?? []
    }
    let newName: [UInt8] =
      switch edit.displayName {
      case .keep: Array(name)
      case .clear: []
      case .set(let text): Folding.fold(text)
      }
    return SearchText(
      user: user, bytes: folded + newName + (own.elementsEqual(folded) ? [] : own),
      handleCount: folded.count, nameCount: newName.count)
  }

  func startsWith(_ query: [UInt8]) -> Bool { handle.starts(with: query) }

  func contains(_ query: [UInt8]) -> Bool {
    bytes.contains(query, in: 0..<handleCount)
      || bytes.contains(query, in: handleCount..<handleCount + nameCount)
  }
}

extension SearchText: Storable {
  static var blank: Self { Self(user: 0, bytes: [], handleCount: 0, nameCount: 0) }

  mutating func code(with coder: inout RecordCoder) {
    var (user, bytes, handle, name) = (self.user, self.bytes, handleCount, nameCount)
    coder(&user)
    coder(&handle)
    coder(&name)
    coder(&bytes)
    if handle < 0 || name < 0 || handle > bytes.count - name { return coder.fail() }
    if coder.isReading {
      self = SearchText(user: user, bytes: bytes, handleCount: handle, nameCount: name)
    }
  }
}

extension RandomAccessCollection<UInt8> where Index == Int {
  /// Returns whether the bytes in the range contain the whole query.
  func contains(_ query: [UInt8], in range: Range<Int>) -> Bool {
    guard query.count <= range.count, let first = query.first else { return query.isEmpty }
    var start = range.lowerBound
    let last = range.upperBound - query.count
    while start <= last {
      if self[start] == first {
        var length = 1
        while length < query.count && self[start + length] == query[length] { length += 1 }
        if length == query.count { return true }
      }
      start += 1
    }
    return false
  }
}
