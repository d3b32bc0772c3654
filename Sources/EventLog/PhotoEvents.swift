import Events

extension History {
  /// Calls `body` with each event after `position`, up to `limit`, that sets or removes a photo.
  /// Checks every line, but decodes only the events of these types.
  /// - Throws: `.damaged` at the first damaged line.
  package func forEachPhotoEvent(
    after position: UInt64, until limit: UInt64 = .max, _ names: inout Names,
    _ body: (borrowing Event, Moment, borrowing Names) -> Void
  ) throws(LogError) {
    try forEachEvent(of: PhotoSubject.types, after: position, until: limit, &names, body)
  }

  /// Calls `body` with each event of these types after `position`, up to `limit`. Checks every
  /// line, but decodes only the events of these types.
  /// - Throws: `.damaged` at the first damaged line.
  package func forEachEvent(
    of types: EventTypes, after position: UInt64, until limit: UInt64 = .max,
    _ names: inout Names, _ body: (borrowing Event, Moment, borrowing Names) -> Void
  ) throws(LogError) {
    var consumer = ChunkConsumer(after: try head(at: position), unknown: .skip)
    for chunk in try chunks(after: position, until: limit) {
      let scanned = try scan(chunk, wanted: types)
      var found: [(Event, Moment)] = []
      try consumer.consume(scanned, &names, until: limit) { batch in
        for (event, moment) in zip(batch.events, batch.moments) { found.append((event, moment)) }
      }
      for (event, moment) in found { body(event, moment, names) }
    }
  }
}
