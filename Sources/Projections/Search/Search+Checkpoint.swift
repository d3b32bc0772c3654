import Events

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

extension SearchSegment {
  mutating func code(with coder: inout StateCoder) {
    coder(&rows)
    coder(&liveCount)
    coder(&dead)
    coder(&bytes)
    grams.code(with: &coder)
  }
}
