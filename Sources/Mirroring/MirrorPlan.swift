import Aggregates
import EventLog
import Events
import Tables
import UseCases

/// The tables that a mirror should have, and the log's properties on which their rows depend.
struct MirrorPlan: Equatable {
  /// The indexes of the tables in `TableState.schemas`.
  var tables: [Int]
  var hasHistory: Bool
  var policies: String
  var rules: Rules
  var rewritings: Int
  /// A hash of the tables' declarations.
  var layout: String

  /// Creates the plan that the options request.
  /// - Parameters:
  ///   - found: the state of the existing mirror, whose choices are kept; nil if there is none or
  ///     if they are not kept.
  ///   - statements: returns the SQL statements that create tables.
  /// - Throws: `.refused` if the options name an unknown table, or if the policies do not fit.
  init(
    _ options: MirrorOptions, keeping found: MirrorState?, rules: Rules, rewritings: Int,
    _ statements: ([TableSchema]) -> [String]
  ) throws(MirrorFault) {
    if let names = options.tables {
      tables = try Self.closed(names)
    } else {
      let kept = found?.tables.split(separator: ",").map(String.init).filter {
        TableState.index(of: $0) != nil
      }
      tables = try kept.map(Self.closed) ?? Array(TableState.schemas.indices)
    }
    hasHistory = options.hasHistory ?? found?.hasHistory ?? false
    policies = options.policies ?? found?.policies ?? ""
    if !policies.isEmpty, let exceptions = TableState.index(of: Self.exceptions),
      !tables.contains(exceptions)
    {
      tables = (tables + [exceptions]).sorted()
    }
    (self.rules, self.rewritings) = (rules, rewritings)
    layout = ""
    try checkPolicies()
    let text = statements(schemas).joined(separator: "\n")
    layout = XXH64.hash(Array(text.utf8), seed: 0).padded(to: 16, radix: 16)
  }

  /// The table that policies read besides the tables whose rows they protect.
  private static let exceptions = "profile_exceptions"

  /// The declarations of the tables and of their history tables.
  var schemas: [TableSchema] {
    let chosen = tables.map { TableState.schemas[$0] }
    return hasHistory ? chosen + chosen.map(\.history) : chosen
  }

  /// The names of the tables, separated by commas.
  var names: String { tables.map { TableState.schemas[$0].name }.joined(separator: ",") }

  /// Returns the indexes of tables and of all tables to which they refer, in ascending order.
  private static func closed(_ names: [String]) throws(MirrorFault) -> [Int] {
    var chosen: Set<Int> = []
    var left = names
    while let name = left.popLast() {
      guard let index = TableState.index(of: name) else {
        throw .refused("there is no table '\(name)'")
      }
      if chosen.insert(index).inserted {
        left += TableState.schemas[index].references.map(\.table)
      }
    }
    return chosen.sorted()
  }

  private func checkPolicies() throws(MirrorFault) {
    if policies.isEmpty { return }
    let names = Set(tables.map { TableState.schemas[$0].name })
    guard names.isSuperset(of: ["profiles", "follows"]) else {
      throw .refused("policies need the tables profiles and follows")
    }
    guard rules.privateProfiles == .hidden else {
      throw .refused(
        "policies need rules that hide private profiles, but those of \(rules.name) do not")
    }
  }

  /// Returns the reason why an existing mirror must be built again; nil if it can be continued.
  func reason(toRebuild found: MirrorState) -> String? {
    if found.rewritings != rewritings { return "the log was rewritten" }
    if found.rules != rules.json.text { return "the log's rules changed" }
    if hasHistory != found.hasHistory { return hasHistory ? "with history" : "without history" }
    if names != found.tables { return "with other tables" }
    if policies != found.policies { return "with other policies" }
    return layout == found.layout ? nil : "the tables have other columns now"
  }

  /// Returns the state of a mirror at a position of the log.
  func state(at head: LogHead) -> MirrorState {
    MirrorState(
      position: head.seq, sum: head.sum, time: head.seq == 0 ? .epoch : head.time,
      rewritings: rewritings, rules: rules.json.text, hasHistory: hasHistory, tables: names,
      layout: layout, policies: policies)
  }
}

extension TableState {
  /// Returns the index of the table with a name; nil if there is none.
  package static func index(of name: String) -> Int? { schemas.firstIndex { $0.name == name } }

  /// Returns the declarations of the tables with these names and of all tables to which they refer;
  /// of all tables if `names` is nil.
  /// - Throws: `.refused` for an unknown name.
  package static func schemas(
    of names: [String]?, withHistory: Bool, policies: String, rules: Rules
  ) throws(MirrorFault) -> [TableSchema] {
    var options = MirrorOptions()
    (options.tables, options.hasHistory, options.policies) = (names, withHistory, policies)
    return try MirrorPlan(options, keeping: nil, rules: rules, rewritings: 0) { _ in [] }.schemas
  }
}
