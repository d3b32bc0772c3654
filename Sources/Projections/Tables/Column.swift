import Events

/// Values by dense id, grown as ids appear.
package struct Column<Value: Sendable & Equatable>: Sendable, Equatable {
  private var values: [Value] = []
  private let none: Value

  package init(_ none: Value) { self.none = none }

  package var indices: Range<Int> { values.indices }

  package subscript(index: UInt32) -> Value {
    get { Int(index) < values.count ? values[Int(index)] : none }
    _modify {
      if Int(index) >= values.count {
        let missing = max(Int(index) + 1, values.count * 2) - values.count
        values.append(contentsOf: repeatElement(none, count: missing))
      }
      yield &values[Int(index)]
    }
  }
}

extension Column where Value: BitwiseCopyable {
  mutating func code(with coder: inout StateCoder) { coder(&values) }
}

extension Column where Value: Storable {
  mutating func code(with coder: inout StateCoder) { coder(&values) }
}

extension Column {
  mutating func code<Element: BitwiseCopyable>(with coder: inout StateCoder)
  where Value == [Element] { coder(&values) }
}
