extension Fields {
  /// The field `limit`, with the same description wherever there are pages; see `clamped`.
  mutating func limit() throws(InputError) -> Int? {
    try optional(
      "limit", "At most so many: 1 to 50, 20 by default. Less counts as 1, more as 50.")
  }

  /// The field `offset`; a negative one counts as 0.
  mutating func offset() throws(InputError) -> Int? {
    try optional("offset", "How many to pass over first: 0 by default. Less counts as 0.")
  }
}

/// A page's length: 1 to 50, 20 by default; out-of-range values are clamped.
func clamped(_ limit: Int?) -> Int { min(max(limit ?? 20, 1), 50) }
