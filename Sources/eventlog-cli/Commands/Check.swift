import Events
import UseCases

extension Command {
  static let check = Command(
    name: "check", summary: "Check every rule of the domain and every invariant, event by event",
    arguments: "", positionals: 0...0,
    discussion: """
      Judges each event by the deciders, given what came before it, and looks at what must hold of \
      the projections. Prints the first event that breaks a rule, with --all every one; exit 1 if \
      there is one. 'verify' checks the bytes, this what they say.
      """,
    options: [
      .log, .asOf, .flag("--all", "Every event that breaks a rule."), .rules, .limit, .format,
      .unknown,
    ],
    examples: [
      Example(command: "eventlog check", help: "The demo breaks none."),
      Example(
        command: "eventlog check --all --rules erg --log my.log", help: "By the limits of erg."),
    ],
    run: { try await runCheck($0) })
}

private func runCheck(_ invocation: Invocation) async throws {
  let format = try invocation.format()
  let rules = try invocation.rules()
  let unknown = try invocation.unknownPolicy()
  let limit = try invocation.rowLimit()
  let view = try invocation.openLog()
  let revision = try invocation.revision("--as-of", in: view)
  let bar = Progress(label: "check", total: Int(clamping: revision), unit: "events")
  let check = try failing { () throws(LogError) in
    try Check(view, rules: rules, until: revision, unknown: unknown) {
      bar.update(Int(clamping: $0))
    }
  }
  bar.finish()
  noteTail(of: view)
  let found = check.findings
  if found.isEmpty, check.brokenInvariant == nil {
    if format == .table {
      return Output.line("\(counted(check.count, "event")): every rule and every invariant holds")
    }
  }
  var rows = Rows([
    .init(name: "seq", title: "EVENT", alignment: .right), .init(name: "type", title: "TYPE"),
    .init(name: "broken", title: "BROKEN"),
  ])
  for finding in found.prefix(invocation.flag("--all") ? limit ?? .max : 1) {
    rows.add([.int(Int(finding.seq)), .text(finding.type.name), .text(finding.sentence)])
  }
  if let broken = check.brokenInvariant {
    rows.add([.int(Int(broken.seq)), .null, .text("invariant: \(broken.invariant)")])
  }
  rows.write(format)
  if !found.isEmpty || check.brokenInvariant != nil {
    throw Failure(
      .refused,
      "\(counted(found.count, "event")) of \(grouped(check.count)) broke a rule"
        + (check.brokenInvariant == nil ? "" : "; an invariant is broken, which is a bug"))
  }
}
