import Events

extension SearchText: Storable {
  static var blank: Self { Self(user: 0, bytes: [], handleCount: 0, nameCount: 0) }

  mutating func code(with coder: inout StateCoder) {
    var (user, handle, name) = (self.user, handleCount, nameCount)
    // A few bytes: not worth a section, which takes a whole block.
    var text = bytes.map { $0 }
    var count = text.count
    coder(&user)
    coder(&handle)
    coder(&name)
    coder.count(&count)
    if coder.isReading { text = [UInt8](repeating: 0, count: count) }
    for index in text.indices { coder(&text[index]) }
    if handle < 0 || name < 0 || handle > count - name { return coder.fail() }
    self = SearchText(user: user, bytes: text, handleCount: handle, nameCount: name)
  }
}

extension SearchSegment: Storable {
  static var blank: Self { Self(id: 0, []) }

  mutating func code(with coder: inout StateCoder) {
    coder(&id)
    coder(&rows)
    coder(&liveCount)
    coder(&dead)
    coder(&bytes)
    grams.code(with: &coder)
  }
}
