import Aggregates
import Events
import UseCases

extension Core {
  /// Answers a query of a table that needs little work, on the calling thread.
  /// - Returns: the answer, or the reason why the query is refused; nil if it needs more work than
  ///   `TableWork.brief`, or if the state must be rebuilt first. Then use `answerApart`.
  package func briefAnswer(
    _ query: TableQuery, to caller: Caller, _ followIDs: FollowIDs
  ) -> Result<TableQuery.Answer, TableFault>? {
    let answer = answered(caller) { (model, caller) throws(UseCaseError) in
      query.result(TableView(model, caller, followIDs), .brief)
    }.flatMap { try? $0.result.get() }
    if case .failure(let fault) = answer, fault.code == TableFault.tooMuch { return nil }
    return answer
  }

  /// Answers any query of a table from a snapshot of the state, on a thread for long reads. If the
  /// state must be rebuilt first, rebuilds it.
  /// - Parameter isGone: returns whether nobody waits for the answer any more. The query then ends
  ///   within some hundred rows, with the code `57014`.
  /// - Returns: nil if too many reads wait.
  package func answerApart(
    _ query: TableQuery, to caller: Caller, _ followIDs: FollowIDs,
    isGone: @escaping @Sendable () -> Bool = { false }
  ) async throws(UseCaseError) -> Result<TableQuery.Answer, TableFault>? {
    while true {
      let answer = await Self.longReads.result(for: [caller.user ?? caller.service ?? ""]) {
        [self] in
        if isGone() { return Result<TableQuery.Answer, TableFault>?.some(.failure(.gone)) }
        return answeredApart(caller) { (model, caller) throws(UseCaseError) in
          query.result(TableView(model, caller, followIDs, isGone: isGone), TableWork())
        }.flatMap { try? $0.result.get() }
      }
      guard let answer else { return nil }
      if let answer { return answer }
      try await rebuildIfDamaged()
    }
  }
}

extension TableQuery {
  /// Answers the query, after some work was done.
  fileprivate func result(_ view: TableView, _ work: TableWork) -> Result<Answer, TableFault> {
    var work = work
    return Result { () throws(TableFault) in try answer(view, &work) }
  }

  /// Answers the query.
  /// - Parameter work: the query's work so far.
  /// - Throws: `42501` if a caller who is not signed in asks for a list; `54000` if the query would
  ///   need more than `mostVisited`, `mostSteps` or `mostBytes`.
  func answer(_ view: TableView, _ work: inout TableWork) throws(TableFault) -> Answer {
    try answer(with: try sorted(try candidates(view, &work), &work), view, &work)
  }

  /// Answers the query from all of its rows, in order.
  fileprivate func answer(
    with found: [TableGathering.Row], _ view: TableView, _ work: inout TableWork
  ) throws(TableFault) -> Answer {
    let count = counts ? found.count : nil
    let page = found.dropFirst(offset).prefix(min(limit ?? Self.mostRows, Self.mostRows))
    let wanted = selectedColumns
    var rows: [JSONValue] = []
    for candidate in page {
      if view.isGone() { throw .gone }
      guard let values = candidate.selected ?? table.values(candidate.key, view, wanted) else {
        continue
      }
      rows.append(try row(values, view, &work))
    }
    return Answer(rows: rows, count: count)
  }

  /// Returns the rows that meet the condition: all, or, in an index's order, enough for the page.
  fileprivate func candidates(
    _ view: TableView, _ work: inout TableWork
  ) throws(TableFault) -> [TableGathering.Row] {
    let access = TableAccess(condition, table, view)
    if !view.mayList, !access.usesIndexes {
      throw TableFault(
        "42501", "permission denied for table \(table.name)",
        hint: "sign in; without an account only single items can be read, by their ids")
    }
    let end = counts ? Int.max : (limit ?? Self.mostRows).addingClamped(offset)
    var gathering = TableGathering(self, view, work, isDistinct: access.isDistinct)
    switch access {
    case .indexes(let visits):
      for (index, values) in visits {
        gathering.begin(index, until: end)
        index.visit(values, view) { gathering.add($0) }
      }
    case .search(let text, let others): gathering.add(containing: text, others, until: end)
    case .scan:
      gathering.begin(nil, until: end)
      table.visitAll(view) { gathering.add($0) }
    }
    work = gathering.work
    if let fault = gathering.fault { throw fault }
    return gathering.found
  }

  /// Returns the rows in the query's order.
  /// - Throws: `54000` if the texts to compare share long beginnings.
  fileprivate func sorted(
    _ rows: [TableGathering.Row], _ work: inout TableWork
  ) throws(TableFault) -> [TableGathering.Row] {
    if order.isEmpty { return rows }
    var steps = work.steps
    let sorted = rows.enumerated().sorted { a, b in
      // After too many steps, what is left of the sorting compares no texts.
      if steps > Self.mostSteps { return a.offset < b.offset }
      return precedes(a.element, b.element, &steps) ?? (a.offset < b.offset)
    }.map(\.element)
    work.steps = steps
    if steps > Self.mostSteps { throw tooSlow }
    return sorted
  }

  /// Returns whether a row comes before another; nil if the order leaves them equal.
  private func precedes(
    _ a: TableGathering.Row, _ b: TableGathering.Row, _ steps: inout Int
  ) -> Bool? {
    for (index, order) in order.enumerated() {
      let (x, y) = (a.values[index], b.values[index])
      if x == .null, y == .null { continue }
      if x == .null { return order.nullsFirst }
      if y == .null { return !order.nullsFirst }
      let found = x.order(y, &steps)
      if found != 0 { return found < 0 ? !order.isDescending : order.isDescending }
    }
    return nil
  }

  /// The fault of a query that would visit too many rows.
  var tooMany: TableFault {
    let indexed = table.indexes.map { index in
      index.columns.map { table.columns[$0].name }.joined(separator: " and ")
    }
    return TableFault(
      TableFault.tooMuch,
      "this query of \(table.name) would visit more than \(Self.mostVisited) rows",
      details: "No index answers its filters within this bound.",
      hint: "Filter by eq or in on \(indexed.joined(separator: ", or on "))"
        + (table.search == nil ? "." : ", or search for a longer text."))
  }

  /// The fault of a query whose comparisons of texts would take too long.
  var tooSlow: TableFault {
    TableFault(
      TableFault.tooMuch,
      "the patterns or the order of this query of \(table.name) would take too long",
      details: "Texts would be compared with more than \(Self.mostSteps) characters.",
      hint: "Use shorter patterns with fewer wildcards, more filters, or another order.")
  }

  /// The fault of a query whose answer would be too long.
  private var tooLong: TableFault {
    TableFault(
      TableFault.tooMuch, "the answer to this query of \(table.name) would have more than 16 MiB",
      hint: "Select each column once, or ask for fewer rows with limit and offset.")
  }

  /// The columns that the members of a row read.
  var selectedColumns: [Int] {
    selection.map { member in
      switch member {
      case .column(let column, _): column
      case .embedded(let embedding): embedding.local
      }
    }
  }

  fileprivate func row(
    _ values: [TableValue], _ view: TableView, _ work: inout TableWork
  ) throws(TableFault) -> JSONValue {
    var members: [JSONValue.Member] = []
    members.reserveCapacity(values.count)
    for index in selection.indices {
      switch selection[index] {
      case .column(_, let name):
        work.bytes += name.utf8.count + values[index].size
        members.append(.init(name, values[index].json))
      case .embedded(let embedding):
        members.append(.init(embedding.name, try embedding.json(values[index], view, &work)))
      }
    }
    if work.bytes > Self.mostBytes { throw tooLong }
    return .object(members)
  }
}

extension TableQuery.Embedding {
  /// Returns the query for the rows that belong to a value.
  private func query(for value: TableValue) -> TableQuery {
    var query = query
    query.condition = .all([.compare(foreign, .equal, value), query.condition])
    return query
  }

  /// Returns whether there is a row that belongs to a value.
  func exists(
    _ value: TableValue, _ view: TableView, _ work: inout TableWork
  ) throws(TableFault) -> Bool {
    if value == .null { return false }
    if join == .visible, let index = keyIndex {
      return key(value, index, view).map { self.query.table.isVisible($0, view) } ?? false
    }
    var query = self.query(for: value)
    (query.limit, query.offset, query.order, query.selection) = (1, 0, [], [])
    if join == .visible { query.condition = .compare(foreign, .equal, value) }
    return try !query.answer(view, &work).rows.isEmpty
  }

  fileprivate func json(
    _ value: TableValue, _ view: TableView, _ work: inout TableWork
  ) throws(TableFault) -> JSONValue {
    if value == .null { return isOne ? .null : .array([]) }
    if isPlain, let index = keyIndex {
      work.visited += 1
      if work.visited > TableQuery.mostVisited { throw query.tooMany }
      if work.visited % TableWork.checked == 0, view.isGone() { throw .gone }
      guard let key = key(value, index, view),
        let values = query.table.values(key, view, wanted)
      else { return .null }
      return try query.row(values, view, &work)
    }
    let rows = try query(for: value).answer(view, &work).rows
    return isOne ? rows.first ?? .null : .array(rows)
  }

  private func key(_ value: TableValue, _ index: Table.Index, _ view: TableView) -> RowKey? {
    var found: RowKey?
    index.visit([value], view) { key in
      found = key
      return false
    }
    return found
  }
}

extension Int {
  fileprivate func addingClamped(_ other: Int) -> Int {
    let (sum, overflows) = addingReportingOverflow(other)
    return overflows ? .max : sum
  }
}
