import Aggregates
import Events
import UseCases

extension Generator where Value == Request {
  /// A command or a query of a few users, with valid or invalid fields, for `eventlog run` or
  /// `Core.perform`.
  /// - Parameters:
  ///   - users: the number of users `u1`, `u2` …, and also of workouts, of comments and so on.
  ///   - isCommand: whether to draw only use cases that may append events.
  public static func request(users: Int = 4, isCommand: Bool = false) -> Self {
    let entries = Registry.all.filter { $0.writes || !isCommand }
    // Commands on which many others depend are drawn more often.
    let common = [
      "CreateProfile", "SendFriendRequest", "AcceptFriendRequest", "ShareWorkout", "PostComment",
    ].compactMap(Registry.find)
    let entry = Generator<Registry.Entry>.oneOf(.element(of: common), .element(of: entries))
    let values = FieldValues(users: users)
    return Self { t in
      let entry = t.draw(entry)
      let actor = t.draw(.frequency([(15, values.id("u").map { $0 }), (1, .just(nil))]))
      let members = t.nested { values.members(entry.fields, of: actor, t) }
      return Request(entry.about.name, as: actor, with: .object(members))
    }
  }
}

/// A generator of values for the fields of use cases' inputs.
private struct FieldValues: Sendable {
  let users: Int

  func id(_ kind: String) -> Generator<String> {
    .element(of: (1...users).map { "\(kind)\($0)" })
  }

  func members(_ fields: [Field], of actor: String?, _ t: Trial) -> [JSONValue.Member] {
    fields.compactMap { field in
      let isThere = t.draw(
        .frequency(
          field.isRequired
            ? [(30, .just(true)), (1, .just(false))] : [(2, .just(false)), (1, .just(true))]))
      guard isThere else { return nil }
      let isWrong = t.draw(.frequency([(30, .just(false)), (1, .just(true))]))
      return .init(field.name, isWrong ? wrong(t) : value(field, of: actor, t))
    }
  }

  private func wrong(_ t: Trial) -> JSONValue {
    t.draw(
      .element(of: [
        .null, .bool(true), .int(-1), .string(""), .string("\u{0}"), .array([]), .object([]),
      ]))
  }

  private func text(_ name: String, of actor: String?, _ t: Trial) -> String {
    switch name {
    // Mostly draws the actor, because users may act for others only in groups.
    case "user": return t.draw(.frequency([(6, .just(actor ?? "u1")), (1, id("u"))]))
    case "follower", "followee", "receiver", "sender", "friend", "other":
      return t.draw(id("u"))
    case "to", "with": return t.draw(id("u"))
    case "group": return t.draw(id("g"))
    case "message": return t.draw(id("m"))
    case "report": return t.draw(id("r"))
    case "id": return t.draw(.oneOf(id("u"), id("w"), id("c"), id("m"), id("g")))
    case "upTo":
      let time = Timestamp(milliseconds: t.draw(.int(0...2_000_000_000_000)))
      return "\(EventID(time: time, random: (0, 0)))"
    case "workout": return t.draw(id("w"))
    case "comment", "replyTo": return t.draw(id("c"))
    case "localID": return t.draw(id("l"))
    case "handle":
      return t.draw(
        .frequency([
          (6, .just("user_\(actor ?? "")")), (2, .element(of: ["taken", "Taken"])),
          (1, .invalidHandle()),
        ]))
    case "kind":
      return t.draw(
        .frequency([
          (9, .element(of: ReactionKind.allCases.map(\.rawValue))), (1, .just("grin")),
        ]))
    case "sport": return t.draw(.element(of: ["ski", "rowing", "chess"]))
    case let name where name.contains("ime") || name.contains("plit"): return t.draw(.duration)
    default: return t.draw(.text())
    }
  }

  private func value(_ field: Field, of actor: String?, _ t: Trial) -> JSONValue {
    if field.isClearable, t.draw(.bool) { return .null }
    return value(field.kind, field.name, of: actor, t)
  }

  private func value(
    _ kind: Field.Kind, _ name: String, of actor: String?, _ t: Trial
  ) -> JSONValue {
    switch kind {
    case .text: return .string(text(name, of: actor, t))
    case .flag: return .bool(t.draw(.bool))
    case .integer: return .int(t.draw(.frequency([(6, .int(0...100)), (1, .any)])))
    case .number: return .number("\(t.draw(Generator<Double>.double(-1...1)))")
    case .date: return .string(t.draw(.element(of: ["2000-02-29", "2001-02-29", "soon"])))
    case .dateTime, .dateOrTime:
      return .string(
        t.draw(.element(of: ["2026-01-01T00:00:00Z", "2026-01-01T23:30:00-01:00", "2026-01-01"])))
    case .image:
      return .string(
        t.draw(.element(of: ["data:image/png;base64,iVBORw0KGgo=", "data:,", "no image"])))
    case .choice(let words): return .string(t.draw(.element(of: words)))
    case .list(let kind):
      return .array(
        t.draw(.array(of: Generator<JSONValue> { t in value(kind, name, of: actor, t) }, 0...3)))
    case .object(_, let fields): return .object(members(fields, of: actor, t))
    case .optional(let kind): return t.draw(.bool) ? value(kind, name, of: actor, t) : .null
    case .nothing: return .null
    }
  }
}

extension Generator where Value == CreateProfile.Input {
  /// A new user: an id, a handle that the rules allow, and perhaps a display name.
  public static func user(_ rules: Rules = .climb) -> Self {
    Self { t in
      let name = Generator<String>.text(1...20).filter { text in
        text.count <= rules.displayNameLimit && Rules.isName(trimmed(text))
      }
      return CreateProfile.Input(
        user: t.draw(.id), handle: t.draw(.handle(rules)),
        displayName: t.draw(rules.displayNameRequired ? name.map { $0 } : .optional(name)),
        isPublic: t.draw(.bool))
    }
  }
}
