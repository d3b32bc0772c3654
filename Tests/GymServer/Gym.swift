#if Server
  import EventlogServer

  struct CheckedIn: AppEvent {
    static let name = "gymapp.CheckedIn", version = 1
    var user = UserID.blank
    func stream(_ names: Names) -> String { "gymapp.visits/\(names[user])" }
    mutating func code(with members: inout AppMembers) throws(LineFault) {
      try members("user", &user)
    }
  }

  struct Visits: AppProjection {
    static let name = "visits", version = 1
    static let handles: EventTypes = [.app]
    var appEvents: AppEventTypes { [CheckedIn.self] }
    private(set) var counts: [Int: Int] = [:]  // by the number of the user's id
    mutating func apply(_ event: borrowing Event, at moment: Moment) {
      switch event {
      case .app(let record):
        if let visit = record[CheckedIn.self] { counts[Int(visit.user.index), default: 0] += 1 }
      default: break
      }
    }
    mutating func code(with coder: inout StateCoder) { coder.record(&counts) }
  }

  struct CheckIn: Command {
    struct Input: UseCaseInput {
      var times: Int?
      static var placeholder: Input { Input() }
      mutating func code(with fields: inout Fields) throws(InputError) {
        try fields.optional("times", "How often; once if not given.", &times)
      }
    }
    static let about = About(
      "gymapp.CheckIn", .workouts, "Check in at the gym", result: "how often",
      errors: ["unauthorized"])
    let core: Core
    init(_ core: Core) { self.core = core }
    func decide(_ input: Input, in model: inout Model) throws(UseCaseError) -> Int {
      let user = try model.actor()
      for _ in 0..<min(input.times ?? 1, 100) { model.append(CheckedIn(user: user)) }
      return min(input.times ?? 1, 100)
    }
  }

  struct GetVisits: Query {
    struct Input: UseCaseInput {
      var user: String
      static var placeholder: Input { Input(user: "") }
      mutating func code(with fields: inout Fields) throws(InputError) {
        try fields.required("user", "Whose.", &user)
      }
    }
    static let about = About(
      "gymapp.GetVisits", .workouts, "How often somebody was at the gym", result: "the count")
    let core: Core
    init(_ core: Core) { self.core = core }
    static func answer(
      _ input: Input, to caller: Caller, in model: Model
    ) throws(UseCaseError) -> Int {
      let visits = model.reading(Visits.self, as: caller)
      guard let user = visits.names.find(user: input.user), visits.sees(user) else { return 0 }
      return visits.projection.counts[Int(user.index)] ?? 0
    }
  }
#endif
