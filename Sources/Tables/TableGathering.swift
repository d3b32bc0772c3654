import Events
import UseCases

/// The rows that a query has found so far, in the order of the visits.
struct TableGathering {
  /// A row that meets the query's condition, with the values by which it is sorted.
  struct Row {
    let key: RowKey
    let values: [TableValue]
    /// The values of the selected columns, if the visit reads them; nil if few of the visited rows
    /// may be in the answer.
    let selected: [TableValue]?
  }

  private let query: TableQuery
  private let view: TableView
  private let inner: [TableQuery.Embedding]
  /// The columns that the condition reads, then those of the order, then those of `inner`.
  private let needed: [Int]
  private let selected: [Int]
  /// The columns that the visit under way reads: `needed`, and perhaps `selected`.
  private var wanted: [Int] = []
  /// By column: its place in `wanted`, for the columns that the condition reads.
  private let places: [Int: Int]
  private var seen: Set<RowKey> = []
  /// Whether no row is visited twice.
  private let isDistinct: Bool
  /// The number of rows found before the visit under way.
  private var first = 0
  /// The number of rows after which the visit may end, if the next row is not equal in order; nil
  /// if the visit has another order than the query.
  private var rowsNeeded: Int?
  /// The place of the column by which the visit is sorted, and the least value that can meet the
  /// condition.
  private var lowerBound: (place: Int, value: TableValue)?

  private(set) var found: [Row] = []
  private(set) var work: TableWork
  private(set) var fault: TableFault?

  init(_ query: TableQuery, _ view: TableView, _ work: TableWork, isDistinct: Bool) {
    self.isDistinct = isDistinct
    (self.query, self.view, self.work) = (query, view, work)
    inner = query.innerEmbeddings
    let filtered = query.condition.columns.sorted()
    places = Dictionary(
      filtered.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
    needed = filtered + query.order.map(\.column) + inner.map(\.local)
    selected = query.selectedColumns
  }

  /// Begins a visit in an index's order; nil is a visit without order.
  /// - Parameter end: the number of rows that the answer needs.
  mutating func begin(_ index: Table.Index?, until end: Int) {
    first = found.count
    let conjuncts = query.condition.conjuncts
    let sorted = (index?.newestBy ?? []).filter { order in
      guard let column = order.ifNull else { return true }
      return conjuncts.contains { if case .isNull(column) = $0 { true } else { false } }
    }.map(\.column)
    let isSorted = query.order.first.map { sorted.contains($0.column) && $0.isDescending } ?? true
    rowsNeeded = isSorted && end < .max ? end : nil
    wanted = rowsNeeded == nil ? needed : needed + selected
    lowerBound = nil
    for case .compare(let column, let comparison, let value) in conjuncts
    where sorted.contains(column) && [.greater, .atLeast].contains(comparison) {
      lowerBound = places[column].map { ($0, value) }
    }
  }

  /// Adds a row if it meets the condition. Returns whether the visit goes on.
  mutating func add(_ key: RowKey) -> Bool {
    if fault != nil { return false }
    if !isDistinct, !seen.insert(key).inserted { return true }
    work.visited += 1
    if work.visited > TableQuery.mostVisited {
      fault = query.tooMany
      return false
    }
    if work.visited % TableWork.checked == 0, view.isGone() {
      fault = .gone
      return false
    }
    guard let values = query.table.values(key, view, wanted) else { return true }
    if let lowerBound, values[lowerBound.place].order(lowerBound.value, &work.steps) < 0 {
      return false
    }
    let holds = query.condition.holds({ [places] in values[places[$0] ?? 0] }, &work.steps)
    if work.steps > TableQuery.mostSteps {
      fault = query.tooSlow
      return false
    }
    guard holds == true else { return true }
    let rest = values[places.count...]
    let row = Row(
      key: key, values: Array(rest.prefix(query.order.count)),
      selected: wanted.count > needed.count ? Array(values[needed.count...]) : nil)
    if let rowsNeeded, found.count - first >= rowsNeeded, let last = found.last,
      row.values.first == nil || row.values.first != last.values.first
    {
      return false
    }
    do throws(TableFault) {
      for (embedding, value) in zip(inner, rest.dropFirst(query.order.count)) {
        guard try embedding.exists(value, view, &work) else { return true }
      }
    } catch {
      fault = error
      return false
    }
    found.append(row)
    return true
  }

  /// Adds the rows that contain a text. If the query is sorted like the index of texts, reads no
  /// more of the index than the answer needs.
  mutating func add(containing text: String, _ others: [RowKey], until end: Int) {
    guard let search = query.table.search else { return }
    begin(nil, until: .max)
    others.visit { add($0) }
    let first = found.count
    wanted = needed + selected
    let isSorted =
      query.order.count <= 1
      && query.order.allSatisfy {
        $0.column == search.sortedBy && !$0.isDescending && !$0.nullsFirst
      }
    var (asked, read) = (isSorted ? min(end, TableQuery.mostVisited) : .max, 0)
    while fault == nil {
      asked = min(asked, max(TableQuery.mostVisited - work.visited, read) + 1)
      let keys = search.find(text, asked, view)
      keys.dropFirst(read).visit { add($0) }
      if keys.count < asked || isSorted && found.count - first >= end { return }
      (asked, read) = (asked * 4, keys.count)
    }
  }
}
