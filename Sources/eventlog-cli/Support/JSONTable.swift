/// Prints a use case's answer in any format. A list of objects is printed as rows, an object as its
/// fields, any other value as its text.
func writeAnswer(_ value: JSONValue, _ format: Format) {
  switch (value, format) {
  case (.array(let elements), .json): writeArray(elements)
  case (.array(let elements), .jsonl): for element in elements { Output.data(element.text + "\n") }
  case (_, .json), (_, .jsonl): Output.data(value.text + "\n")
  case (.array([]), .table): Output.line("none")
  case (.array(let elements), _): rows(of: elements).write(format)
  case (.object(let members), .csv): rows(of: [.object(members)]).write(format)
  case (.object(let members), .table): writeMembers(members)
  case (.null, .table): Output.line("none")
  case (_, .table): Output.line(sanitized(cell(value).csv))
  case (_, .csv): Output.data(CSV.row([cell(value).csv]))
  }
}

private func writeArray(_ elements: [JSONValue]) {
  Output.write("[")
  for (index, element) in elements.enumerated() {
    Output.write(index == 0 ? "\n" : ",\n")
    Output.data(element.text)
  }
  Output.write(elements.isEmpty ? "]\n" : "\n]\n")
}

/// Returns rows with a column for each field of the first object. All objects have the same fields.
private func rows(of elements: [JSONValue]) -> Rows {
  guard case .object(let first)? = elements.first else {
    var rows = Rows([.text("value")])
    for element in elements { rows.add([cell(element)]) }
    return rows
  }
  var rows = Rows(
    first.map { member in
      if case .number = member.value { return .number(member.name, title(member.name)) }
      return .text(member.name, title(member.name))
    })
  for element in elements {
    rows.add(first.map { cell(element[$0.name] ?? .null) })
  }
  return rows
}

/// Prints an object's fields that are not null, as a table for people.
private func writeMembers(_ members: [JSONValue.Member]) {
  var rows = Rows([.text("member"), .text("value")])
  for member in members where member.value != .null {
    rows.add([.text(member.name), cell(member.value)])
  }
  rows.write(.table)
}

/// Converts a field's name to a column's title: `followerCount` to `FOLLOWER COUNT`.
private func title(_ name: String) -> String {
  var title = ""
  for character in name {
    let isStart = character.isUppercase && title.last?.isLowercase == true
    title += (isStart ? " " : "") + String(character)
  }
  return title.uppercased()
}

private func cell(_ value: JSONValue) -> Cell {
  switch value {
  case .null: .null
  case .bool(let value): .bool(value)
  case .string(let text): .text(text)
  case .number(let text): Int(text).map(Cell.int) ?? .text(text)
  case .array, .object: .json(value.text)
  }
}
