import Events
import Foundation
import Projections

/// A route that a setter has put up, with every kind of member.
struct RouteSet: AppEvent {
  enum Wall: String, AppValue { case slab, overhang }

  static let name = "climbr.RouteSet", version = 2
  var route = ""
  var setters: [UserID] = []
  var wall: Wall?
  var holds = 0
  var height = 1.5
  var isOpen = true
  var shown: WorkoutID?
  var from: CommentID?
  var setAt: DateTime?
  var until: CalendarDate?
  var extra: JSONValue?

  func stream(_ names: Names) -> String { "climbr.route/\(route)" }

  mutating func code(with members: inout AppMembers) throws(LineFault) {
    try members("route", &route)
    try members("setters", &setters)
    try members("wall", &wall)
    try members("holds", &holds)
    try members("height", &height)
    try members("isOpen", &isOpen)
    try members("shown", &shown)
    try members("from", &from)
    try members("setAt", &setAt)
    try members("until", &until)
    try members("extra", &extra)
  }

  /// Version 1 had one setter, and no other member than the route.
  static func upcast(_ data: JSONValue, from version: Int) throws(LineFault) -> JSONValue {
    .object([
      .init("route", data["route"] ?? .null), .init("setters", .array([data["setter"] ?? .null])),
      .init("holds", .int(0)), .init("height", .int(0)), .init("isOpen", .bool(true)),
    ])
  }
}

struct Ticked: AppEvent {
  static let name = "climbr.Ticked", version = 1
  var route = "", climber = UserID.blank

  init() {}
  init(_ route: String, _ climber: UserID) { (self.route, self.climber) = (route, climber) }

  func stream(_ names: Names) -> String { "climbr.tick/\(route)/\(names[climber])" }

  mutating func code(with members: inout AppMembers) throws(LineFault) {
    try members("route", &route)
    try members("climber", &climber)
  }
}

/// A folder that is deleted with its owner.
final class Folder: Sendable {
  let path = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
  deinit { try? FileManager.default.removeItem(atPath: path) }
}

/// The setters and the tickers of each route whose accounts exist.
struct Ticks: ExplainedProjection {
  static let name = "ticks", version = 1
  static let handles: EventTypes = [.app, .accountDeleted]
  static let kinds = [
    StatePath.Kind("ticks", of: ["ROUTE"], root: .list(of: .user), types: handles, sources: [.app])
  ]
  var appEvents: AppEventTypes { [RouteSet.self, Ticked.self] }
  private(set) var users: [String: [UserID]] = [:]

  private static func change(_ record: AppRecord) -> (route: String, users: [UserID])? {
    record[RouteSet.self].map { ($0.route, $0.setters) }
      ?? record[Ticked.self].map { ($0.route, [$0.climber]) }
  }

  mutating func apply(_ event: borrowing Event, at moment: Moment) {
    switch event {
    case .accountDeleted(let account):
      for route in users.keys { users[route]?.removeAll { $0 == account.user } }
    case .app(let record):
      guard let (route, more) = Self.change(record) else { return }
      for user in more where users[route]?.contains(user) != true {
        users[route, default: []].append(user)
      }
    default: break
    }
  }

  mutating func code(with coder: inout StateCoder) { coder.record(&users) }
  func brokenInvariant(_ names: Names) -> String? { nil }

  static func touches(_ event: borrowing Event, _ names: Names) -> [Touch] {
    switch event {
    case .accountDeleted: [.each(.app) { touches($0, names) }]
    case .app(let record): change(record).map { [.path(kinds[0], [$0.route])] } ?? []
    default: []
    }
  }

  func facts(_ names: Names) -> [Fact] {
    users.filter { !$0.value.isEmpty }.map { route, users in
      Fact("ticks/\(StatePath.word(route))", .array(users.reversed().map { .string(names[$0]) }))
    }
  }

  func values(under path: StatePath, after event: Event?, _ names: Names) -> Values { Values() }

  func lists(under path: StatePath, _ names: Names) -> [StateList] {
    let route = path.ids[0]
    return users[route].map { [StateList("ticks/\(StatePath.word(route))", $0, names)] } ?? []
  }
}

let gymCatalogue = Catalogue.standard.adding(Ticks.self)
