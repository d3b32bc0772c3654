import Events
import UseCases

/// The use cases onto which writes of a table are mapped.
package struct TableWrites: Sendable {
  /// The column that must be the caller in a new row, and that may be omitted; nil without one.
  package var owner: String?
  /// Whether only the owner can write a row. A change or a removal then skips other rows.
  package var isOwnersOnly = false
  /// The column that is the caller if a new row omits it, but may be another user; nil without one.
  package var caller: String?
  /// The columns that find the row that a new row would replace.
  package var conflict: [String]
  /// The columns that a client may write. A body's other columns are ignored, because clients send
  /// whole rows; those of `protected` must be unchanged.
  package var writable: Set<String>
  /// The columns that only a new row may set, besides those of `conflict` and `id`.
  package var fixed: Set<String> = []
  /// The columns that only other callers may write.
  package var protected: Set<String> = []
  /// The column of the row's id, which the server creates if a new row has none; nil if there is
  /// none.
  package var id: String?
  /// Returns the commands for a new row; nil if rows cannot be inserted.
  package var insert: Commands?
  /// Returns the commands for a change of a row; nil if rows cannot be changed.
  package var update: Commands?
  /// Returns the commands for the removal of a row; nil if rows cannot be removed.
  package var delete: Commands?
  /// Whether the change of the newest row also changes all earlier rows.
  package var updateCoversEarlierRows = false
  /// Advice for a write that has no use case.
  package var hint = ""

  /// Returns the commands for a write, in order.
  package typealias Commands = @Sendable (TableChange) throws(TableFault) -> [TableCommand]
}

/// A command for a write: a use case and its input.
package struct TableCommand: Equatable, Sendable {
  package var name: String
  package var input: JSONValue

  init(_ name: String, _ members: [JSONValue.Member] = []) {
    (self.name, input) = (name, .object(members))
  }
  init(_ name: String, _ field: String, _ value: JSONValue?) {
    self.init(name, value.map { [.init(field, $0)] } ?? [])
  }
}

/// A write of one row.
package struct TableChange: Sendable {
  /// The values that the client gives, by column.
  package var values: [String: JSONValue]
  /// The row's present values, by column; empty for a new row.
  package var row: [String: JSONValue]
  /// The caller.
  package var user: String

  package init(values: [String: JSONValue], row: [String: JSONValue], user: String) {
    (self.values, self.row, self.user) = (values, row, user)
  }

  /// The value that a column has after the write.
  subscript(column: String) -> JSONValue? { values[column] ?? row[column] }

  /// Returns the given values as fields of an input, without those that the row already has.
  /// - Parameter fields: the fields by column.
  func fields(_ fields: KeyValuePairs<String, String>, nulls: Bool = true) -> [JSONValue.Member] {
    fields.compactMap { column, field in
      guard let value = values[column], value != row[column], nulls || value != .null else {
        return nil
      }
      return .init(field, value)
    }
  }

  /// Returns whether a column of the row is the caller.
  func isMine(_ column: String) -> Bool { row[column] == .string(user) }

  /// - Throws: `42501` unless a column of the row is the caller.
  func checkMine(_ column: String, _ hint: String) throws(TableFault) {
    if !isMine(column) {
      throw TableFault("42501", "this row belongs to another user", hint: hint)
    }
  }
}

extension Core {
  /// Decides a write's commands in order, in one decision: if one is refused, nothing is appended.
  /// - Throws: the first refused command's error.
  package func decide(
    _ commands: [TableCommand], as caller: Caller, in model: inout Model
  ) throws(UseCaseError) {
    for command in commands {
      guard let entry = useCases.find(command.name) else {
        throw .invalidInput(InputError("do", "there is no use case \(command.name)"))
      }
      let call: Call
      do throws(InputError) {
        call = try Call(entry, command.input, as: caller)
      } catch {
        throw .invalidInput(error)
      }
      guard case .command(let decide) = call.work else {
        throw .invalidInput(InputError("do", "\(command.name) is not a command"))
      }
      _ = try decide(self, &model)
    }
  }
}

extension TableQuery {
  /// Returns the rows of the query's answer, for a write that is being decided.
  /// - Throws: the faults of a query.
  package func rows(
    in model: Model, for caller: Caller, _ followIDs: FollowIDs
  ) throws(TableFault) -> [JSONValue] {
    var work = TableWork()
    return try answer(TableView(model, caller, followIDs), &work).rows
  }
}
