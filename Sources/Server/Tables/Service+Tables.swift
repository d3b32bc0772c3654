import Events
import Tables
import UseCases

/// A request for rows of a table, or for the list of tables.
enum TableCall: Sendable {
  case list
  case rows(Table)

  init(_ path: ArraySlice<String>) throws(Service.Refusal) {
    guard let name = path.first else {
      self = .list
      return
    }
    if name == "rpc" {
      throw .table(
        404, "PGRST202", "Could not find the function in the schema cache",
        hint: "Functions are not served; call a use case: POST /v1/do/USECASE.")
    }
    guard path.count == 1, let table = Table.named(name) else {
      throw .table(
        404, "PGRST205", "Could not find the table 'public.\(printable(name))' in the schema cache",
        hint: "The tables are \(Table.all.map(\.name).joined(separator: ", ")).")
    }
    self = .rows(table)
  }

  var template: String {
    switch self {
    case .list: "/rest/v1"
    case .rows(let table): "/rest/v1/\(table.name)"
    }
  }
}

extension Service.Refusal {
  static func table(_ status: Int, _ code: String, _ message: String, hint: String) -> Self {
    var response = Response.failure(status, code, message)
    response.failure?.hint = hint
    return Self(response)
  }
}

/// The preferences in the header `Prefer` (RFC 7240) that PostgREST knows.
struct TablePreferences {
  var counts = false
  var returnsRows = false
  var isMerging = false
  var isIgnoring = false
  /// The most rows that a change may affect; nil for no bound. Counts only if `isStrict`.
  private var most: Int?
  private var isStrict = false
  var maxAffected: Int? { isStrict ? most : nil }

  init(_ head: RequestHead) {
    for part in (head[.prefer] ?? "").split(separator: ",") {
      switch part.filter({ $0 != " " }) {
      case "count=exact", "count=planned", "count=estimated": counts = true
      case "return=representation": returnsRows = true
      case "resolution=merge-duplicates": isMerging = true
      case "resolution=ignore-duplicates": isIgnoring = true
      case "handling=strict": isStrict = true
      case let part where part.hasPrefix("max-affected="):
        most = Int(part.dropFirst("max-affected=".count))
      default: break
      }
    }
  }
}

extension Service {
  /// Answers a request for rows of a table.
  func table(
    _ call: TableCall, _ request: Admitted, _ body: [UInt8],
    _ respond: @escaping @Sendable (Response) -> Void
  ) {
    let isSignedIn = request.session.caller.key != ""
    guard case .rows(let table) = call else { return respond(tableList) }
    do throws(TableFault) {
      var query = try TableQuery(
        table, request.target.items, spelling: { core.spelling(ofUser: $0) })
      let preferences = TablePreferences(request.head)
      let isSingle = try request.wantsOneObject
      guard request.head.method == "GET" || request.head.method == "HEAD" else {
        let write = try TableWrite(query, request, body, preferences, isSingle: isSingle)
        return perform(write, request, respond)
      }
      query.counts = preferences.counts
      try query.addRange(request.head[.range])
      if isSingle { query.limit = min(query.limit ?? 2, 2) }
      let caller = request.session.caller
      if request.isGone() { throw .gone }
      if let answer = core.briefAnswer(query, to: caller, followIDs) {
        return respond(response(try answer.get(), query, isSingle: isSingle, isSignedIn))
      }
      Task { [self, query] in
        do throws(TableFault) {
          let answer = try await longAnswer(query, caller, isGone: request.isGone)
          respond(response(answer, query, isSingle: isSingle, isSignedIn))
        } catch {
          respond(Response(error, isSignedIn: isSignedIn))
        }
      }
    } catch {
      respond(Response(error, isSignedIn: isSignedIn))
    }
  }

  /// Answers a query that needs more than little work.
  func longAnswer(
    _ query: TableQuery, _ caller: Caller, isGone: @escaping @Sendable () -> Bool = { false }
  ) async throws(TableFault) -> TableQuery.Answer {
    let answer: Result<TableQuery.Answer, TableFault>?
    do throws(UseCaseError) {
      answer = try await core.answerApart(query, to: caller, followIDs, isGone: isGone)
    } catch {
      throw TableFault("XX000", "the log cannot be read at the moment; try again")
    }
    guard let answer else { throw TableFault("53300", "too many long queries wait; try again") }
    return try answer.get()
  }

  /// Returns the answer with rows, or with one object.
  private func response(
    _ answer: TableQuery.Answer, _ query: TableQuery, isSingle: Bool, _ isSignedIn: Bool
  ) -> Response {
    if isSingle { return .one(answer.rows, isSignedIn: isSignedIn) }
    let (first, count) = (query.offset, answer.rows.count)
    if let total = answer.count, first > total {
      let fault = TableFault(
        "PGRST103", "Requested range not satisfiable",
        details: "An offset of \(first) was requested, but there are only \(total) rows.")
      var response = Response(fault, isSignedIn: isSignedIn)
      response.headers.append(("Content-Range", "*/\(total)"))
      return response
    }
    let range = count == 0 ? "*" : "\(first)-\(first + count - 1)"
    let total = answer.count.map { "\($0)" } ?? "*"
    let isPart = answer.count.map { count < $0 } ?? false
    var response = Response.rows(answer.rows, isPart ? 206 : 200)
    response.headers.append(("Content-Range", "\(range)/\(total)"))
    return response
  }

  /// The description of the tables: names, columns and keys.
  private var tableList: Response {
    .json(
      .of([
        "tables": .array(
          Table.all.map { table in
            .of([
              "name": .string(table.name),
              "columns": .array(
                table.columns.map {
                  .of(["name": .string($0.name), "type": .string($0.type.name)])
                }),
              "key": .array(table.key.map { .string(table.columns[$0].name) }),
              "foreign_keys": .array(
                table.references.map {
                  .of([
                    "name": .string($0.name), "column": .string(table.columns[$0.column].name),
                    "table": .string($0.table),
                  ])
                }),
            ])
          })
      ]))
  }
}

extension Response {
  static func rows(_ rows: [JSONValue], _ status: Int) -> Response {
    var out = ByteBuffer(capacity: 1_024)
    out.append("[")
    for (index, row) in rows.enumerated() {
      if index > 0 { out.append(",") }
      out.append(row)
    }
    out.append("]")
    return Response(
      status,
      [("Content-Type", "application/json; charset=utf-8"), ("Cache-Control", "no-store")],
      out.array)
  }

  /// Returns the only row, or an error if there is not exactly one.
  static func one(_ rows: [JSONValue], isSignedIn: Bool, status: Int = 200) -> Response {
    guard rows.count == 1 else {
      return Response(TableFault.notOne(rows.count), isSignedIn: isSignedIn)
    }
    var response = json(rows[0], status)
    response.headers[0].value = "application/vnd.pgrst.object+json; charset=utf-8"
    return response
  }
}

extension Service.Admitted {
  /// Whether the answer shall be one object instead of a list.
  /// - Throws: `PGRST107` if the client accepts only types that are not served.
  var wantsOneObject: Bool {
    get throws(TableFault) {
      let types = (head[.accept] ?? "*/*").split(separator: ",").map { type in
        type.prefix { $0 != ";" }.filter { $0 != " " }.lowercased()
      }
      if types.contains("application/vnd.pgrst.object+json") { return true }
      let served = ["*/*", "application/*", "application/json", "application/vnd.pgrst.array+json"]
      if types.contains(where: served.contains) { return false }
      throw TableFault(
        "PGRST107", "None of these media types are available: \(printable(head[.accept] ?? ""))",
        hint: "application/json and application/vnd.pgrst.object+json are served.")
    }
  }
}

extension TableFault {
  /// The fault if a client asks for one object, and there is another number of rows.
  static func notOne(_ count: Int) -> TableFault {
    TableFault(
      "PGRST116", "Cannot coerce the result to a single JSON object",
      details: "The result contains \(count) rows")
  }
}

extension TableQuery {
  /// Narrows the page by the header `Range`, such as `0-19` or `20-`.
  /// - Throws: `PGRST103` for a range that ends before it begins.
  fileprivate mutating func addRange(_ header: String?) throws(TableFault) {
    guard let header else { return }
    let text = header.hasPrefix("items=") ? header.dropFirst(6) : header[...]
    let ends = text.split(separator: "-", omittingEmptySubsequences: false)
    guard ends.count == 2, let first = Int(ends[0]), first >= 0 else { return }
    let (sum, overflows) = offset.addingReportingOverflow(first)
    offset = overflows ? .max : sum
    guard !ends[1].isEmpty else { return }
    guard let last = Int(ends[1]), last >= first else {
      throw TableFault("PGRST103", "Requested range not satisfiable")
    }
    limit = min(limit ?? .max, last - first == .max ? .max : last - first + 1)
  }
}

extension ColumnType {
  /// The type's name for clients.
  var name: String { self == .user ? "text" : rawValue }
}
