import Events
import UseCases

/// The work that a query has done so far, also for embedded rows.
struct TableWork {
  /// The number of rows visited.
  var visited = 0
  /// The number of characters of texts that were compared.
  var steps = 0
  /// The number of bytes of the answer's rows, roughly.
  var bytes = 0

  /// The number of rows after which a query checks whether its client is still there.
  static let checked = 256

  /// The work of a query that may still visit 250 rows, compare 25,000 characters and answer
  /// 64 KiB. It may do so while the state is locked: that takes a millisecond or two.
  static let brief = TableWork(
    visited: TableQuery.mostVisited - 250, steps: TableQuery.mostSteps - 25_000,
    bytes: TableQuery.mostBytes - (64 << 10))
}

/// A query of one table: filters, order, a page, and the selected columns with embedded rows.
package struct TableQuery: Sendable {
  /// The most rows that a query visits. A query that needs more is refused.
  package static let mostVisited = 20_000
  /// The most characters that a query compares with its patterns and filters, and by its order. A
  /// query that needs more is refused.
  package static let mostSteps = 10_000_000
  /// The most bytes of an answer, roughly: its members' names and texts, and 8 for each member. A
  /// query that needs more is refused.
  package static let mostBytes = 16 << 20
  /// The most rows in an answer, as in Supabase.
  package static let mostRows = 1_000

  /// The table.
  package let table: Table
  /// The condition on rows.
  package var condition = TableCondition.all([])
  /// The selected columns and embedded rows, in the order of an answer's members.
  package var selection: [Selected] = []
  /// The order of the rows; rows that it leaves equal are in the index's order.
  package var order: [Order] = []
  /// The most rows of the answer; nil for no bound but `mostRows`.
  package var limit: Int?
  /// The number of rows to skip.
  package var offset = 0
  /// Whether to count the rows without regard to limit and offset.
  package var counts = false

  /// Creates a query for all rows of a table.
  package init(_ table: Table) { self.table = table }

  /// A member of the answer's rows.
  package enum Selected: Sendable {
    case column(Int, name: String)
    case embedded(Embedding)
  }

  /// Rows of another table inside each row.
  package struct Embedding: Sendable {
    /// The member's name.
    package var name: String
    /// The query of the other table. Its condition, order and page are for each row's own rows.
    package var query: TableQuery { didSet { prepare() } }
    /// The column of the row, and the column of the other table, whose values are equal.
    package var local: Int
    package var foreign: Int
    /// Whether each row has at most one row of the other table.
    package var isOne: Bool
    /// The rows that are left out.
    package var join: Join

    /// The rows that an embedding leaves out.
    package enum Join: Sendable {
      /// None: without rows of the other table, the member is null or an empty list.
      case left
      /// Those that refer to a row that the viewer may not see.
      case visible
      /// Those without rows that meet the embedding's condition.
      case inner
    }

    package init(
      name: String, query: TableQuery, local: Int, foreign: Int, isOne: Bool, join: Join
    ) {
      (self.name, self.query, self.local, self.foreign) = (name, query, local, foreign)
      (self.isOne, self.join) = (isOne, join)
      prepare()
    }

    /// The index that finds the only row with a value; nil if there may be several.
    private(set) var keyIndex: Table.Index?
    /// Whether all rows of the other table may be embedded.
    private(set) var isPlain = false
    /// The columns that the embedded members read.
    private(set) var wanted: [Int] = []

    /// Derives from the query what each row needs, so that it is done once.
    private mutating func prepare() {
      let table = query.table
      keyIndex =
        table.key == [foreign]
        ? table.indexes.first { $0.columns == [foreign] && $0.isOpen } : nil
      if case .all(let parts) = query.condition { isPlain = parts.isEmpty && isOne }
      wanted = query.selectedColumns
    }
  }

  /// A column by which rows are sorted.
  package struct Order: Sendable {
    package var column: Int
    package var isDescending: Bool
    package var nullsFirst: Bool

    package init(column: Int, isDescending: Bool, nullsFirst: Bool) {
      (self.column, self.isDescending, self.nullsFirst) = (column, isDescending, nullsFirst)
    }
  }

  /// The answer to a query.
  package struct Answer: Sendable {
    /// The rows, each an object.
    package var rows: [JSONValue]
    /// The number of all rows that meet the condition; nil if it was not asked for.
    package var count: Int?
  }

  /// The embedded rows without which a row is left out.
  var innerEmbeddings: [Embedding] {
    selection.compactMap {
      if case .embedded(let embedding) = $0, embedding.join != .left { embedding } else { nil }
    }
  }
}
