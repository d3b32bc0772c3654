import Events

extension SearchText: Storable {
  static var blank: Self { Self(user: 0, bytes: [], handleCount: 0, nameCount: 0) }

  mutating func visit(_ state: inout StateCoder) {
    var (user, handle, name) = (self.user, handleCount, nameCount)
    // A few bytes: a section of their own would be a block.
    var text = bytes.map { $0 }
    var count = text.count
    state(&user)
    state(&handle)
    state(&name)
    state.count(&count)
    if state.isReading { text = [UInt8](repeating: 0, count: count) }
    for index in text.indices { state(&text[index]) }
    if handle < 0 || name < 0 || handle > count - name { return state.fail() }
    self = SearchText(user: user, bytes: text, handleCount: handle, nameCount: name)
  }
}

extension SearchSegment: Storable {
  static var blank: Self { Self(id: 0, []) }

  mutating func visit(_ state: inout StateCoder) {
    state(&id)
    state(&rows)
    state(&liveCount)
    state(&dead)
    state(&bytes)
    grams.visit(&state)
  }
}
