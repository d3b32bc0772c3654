import Aggregates
import Events
import UseCases

/// Returns the value of `input`. Throws an `InputError` of `input` as `.invalidInput`.
func valid<T>(_ input: @autoclosure () throws(InputError) -> T) throws(UseCaseError) -> T {
  do throws(InputError) { return try input() } catch { throw .invalidInput(error) }
}

// The interface of the ride app: the same use cases at other addresses.
extension Service {
  func ride(_ call: RideCall, _ body: [UInt8], _ caller: Caller) async -> Response {
    guard let user = caller.user else {
      return .failure(403, "notAuthorized", "these addresses are for users, not for services")
    }
    do throws(UseCaseError) {
      switch call {
      case .me: return .json(try await rider(user, caller))
      case .editMe: return try await editRider(try valid(jsonObject(body)), user, caller)
      case .deleteMe:
        _ = try await DeleteAccount(core).execute(.init(), as: caller)
        return Response(204)
      case .uploadAvatar:
        try await makeRider(for: body, user, caller)
        let upload = UploadProfilePhoto(core, photos.storage, photos.encoder)
        let url = try await upload.execute(.init(image: body), as: caller)
        return .json(.of(["avatarUrl": .string(url)]))
      case .baseLocation:
        return .json(try await GetBaseLocation(core).execute(.init(user: user), as: caller).json)
      case .setBaseLocation:
        let place = try known(["latitude", "longitude", "name"], of: valid(jsonObject(body)))
        try await write(SetBaseLocation(core), try input(place), user, caller)
        return .json(try await GetBaseLocation(core).execute(.init(user: user), as: caller).json)
      case .sports: return .json(try await ListSports(core).execute(.init(), as: caller).json)
      case .mySports: return .json(.array(try await sports(of: user, caller)))
      case .setSport(let sport):
        var members = try known(["level", "isMentor"], of: valid(jsonObject(body)))
        members.append(.init("sport", .string(sport)))
        try await write(SetSport(core), try input(members), user, caller)
        let items = try await sports(of: user, caller)
        return .json(items.first { $0["sportId"] == .string(sport) } ?? .null)
      case .removeSport(let sport):
        let removed: RemoveSport.Input = try input([.init("sport", .string(sport))])
        try await write(RemoveSport(core), removed, user, caller)
        return Response(204)
      }
    } catch {
      return Response(error)
    }
  }

  /// Returns the named fields of a body. The ride app's addresses ignore other fields.
  private func known(_ names: [String], of body: JSONValue) -> [JSONValue.Member] {
    names.compactMap { name in body[name].map { JSONValue.Member(name, $0) } }
  }

  private func input<Input: UseCaseInput>(
    _ members: [JSONValue.Member]
  ) throws(UseCaseError) -> Input {
    try valid(Fields.read(.object(members)) { (_) throws(InputError) in [] })
  }

  /// Performs a rider's command. If the rider has no profile yet, also creates the profile, in the
  /// same commit.
  private func write<C: Command>(
    _ command: C, _ input: C.Input, _ user: String, _ caller: Caller, displayName: String? = nil
  ) async throws(UseCaseError) {
    if try await hasProfile(user, caller) {
      _ = try await command.execute(input, as: caller)
      return
    }
    let create = CreateProfile.Input(user: user, handle: nil, displayName: displayName)
    do throws(UseCaseError) {
      try await core.commit(as: caller) { [core] model throws(UseCaseError) in
        _ = try CreateProfile(core).decide(create, in: &model)
        _ = try command.decide(input, in: &model)
      }
    } catch {
      // Another request may have created the profile in the meantime.
      guard error == .refused(.profileExists), try await hasProfile(user, caller) else {
        throw error
      }
      _ = try await command.execute(input, as: caller)
    }
  }

  /// Creates the rider's profile if the rider has none and `image` is a photo.
  private func makeRider(
    for image: [UInt8], _ user: String, _ caller: Caller
  ) async throws(UseCaseError) {
    if try await hasProfile(user, caller) { return }
    do throws(DomainError) {
      _ = try await shrunk(image, with: photos.encoder, rules: core.rules, for: user)
    } catch {
      throw .refused(error)
    }
    try await write(UpdateProfile(core), UpdateProfile.Input(user: user), user, caller)
  }

  private func hasProfile(_ user: String, _ caller: Caller) async throws(UseCaseError) -> Bool {
    try await profile(user, caller) != nil
  }

  private func profile(_ user: String, _ caller: Caller) async throws(UseCaseError) -> Profile? {
    do throws(UseCaseError) {
      return try await GetProfile(core).execute(.init(user: user), as: caller)
    } catch {
      if error == .refused(.profileNotFound) { return nil }
      throw error
    }
  }

  /// Returns the caller's profile in the ride app's form. Without a profile, only `id`, `userId`
  /// and `type` are not null.
  private func rider(_ user: String, _ caller: Caller) async throws(UseCaseError) -> JSONValue {
    let profile = try await profile(user, caller)
    return .of([
      "id": .string(user), "userId": .string(user),
      "type": .string((profile?.details?.riderType?.word ?? "rider").uppercased()),
      "displayName": .optional(profile?.displayName), "description": .optional(profile?.bio),
      "avatarUrl": .optional(profile?.photoURL),
      "createdAt": .optional((profile?.details?.createdAt).map { "\($0)" }),
      "updatedAt": .optional((profile?.details?.updatedAt).map { "\($0)" }),
    ])
  }

  /// Edits the rider's profile. Creates the profile if the rider has none.
  private func editRider(
    _ body: JSONValue, _ user: String, _ caller: Caller
  ) async throws(UseCaseError) -> Response {
    var edit = UpdateProfile.Input(user: user)
    edit.displayName = try patch(body, "displayName", most: 40) {
      .displayNameTooLong(limit: 40, actual: $0)
    }
    edit.bio = try patch(body, "description", most: 1_000) { .bioTooLong(limit: 1_000, actual: $0) }
    switch body["type"] {
    case nil: break
    case .null: edit.riderType = .clear
    case .string(let text):
      guard let type = RiderType(rawValue: text.lowercased()) else { fallthrough }
      edit.riderType = .set(type)
    default: throw .invalidInput(InputError("type", "one of RIDER, MENTOR and BOTH is expected"))
    }
    let name: String? = if case .set(let name) = edit.displayName { name } else { nil }
    try await write(UpdateProfile(core), edit, user, caller, displayName: name)
    return .json(try await rider(user, caller))
  }

  private func patch(
    _ body: JSONValue, _ name: String, most: Int, _ error: (Int) -> DomainError
  ) throws(UseCaseError) -> Patch<String> {
    switch body[name] {
    case nil: return .keep
    case .null: return .clear
    case .string(let text):
      let count = trimmed(text).count
      if count > most { throw .refused(error(count)) }
      return .set(text)
    default: throw .invalidInput(InputError(name, "a text is expected"))
    }
  }

  private func sports(of user: String, _ caller: Caller) async throws(UseCaseError) -> [JSONValue] {
    let known = try await ListSports(core).execute(.init(), as: caller)
    return try await GetSports(core).execute(.init(user: user), as: caller).map { item in
      .of([
        "id": .string(item.sport), "sportId": .string(item.sport),
        "sport": known.first { $0.id == item.sport }?.json ?? .null,
        "level": .string(item.level.word.uppercased()), "isMentor": .bool(item.isMentor),
      ])
    }
  }
}

/// A request of the ride app's clients, below `/api/v1`.
enum RideCall: Equatable, Sendable {
  case me, editMe, deleteMe, uploadAvatar
  case baseLocation, setBaseLocation
  case sports, mySports
  case setSport(String)
  case removeSport(String)

  init(_ method: String, _ path: [String]) throws(Service.Refusal) {
    guard path.starts(with: ["api", "v1"]) else { throw .notFound("no such page") }
    let calls: [String: RideCall]
    switch path.dropFirst(2).joined(separator: "/") {
    case "riders/me": calls = ["GET": .me, "PATCH": .editMe, "DELETE": .deleteMe]
    case "riders/me/avatar": calls = ["POST": .uploadAvatar]
    case "riders/me/base-location": calls = ["GET": .baseLocation, "PUT": .setBaseLocation]
    case "sports": calls = ["GET": .sports]
    case "riders/me/sports": calls = ["GET": .mySports]
    default:
      guard path.count == 6, path.starts(with: ["api", "v1", "riders", "me", "sports"]) else {
        throw .notFound("no such page")
      }
      calls = ["POST": .setSport(path[5]), "DELETE": .removeSport(path[5])]
    }
    guard let call = calls[method == "HEAD" ? "GET" : method] else {
      throw .method(allowed: calls.keys.sorted().joined(separator: ", "))
    }
    self = call
  }

  var template: String {
    switch self {
    case .me, .editMe, .deleteMe: "/api/v1/riders/me"
    case .uploadAvatar: "/api/v1/riders/me/avatar"
    case .baseLocation, .setBaseLocation: "/api/v1/riders/me/base-location"
    case .sports: "/api/v1/sports"
    case .mySports: "/api/v1/riders/me/sports"
    case .setSport, .removeSport: "/api/v1/riders/me/sports/{sport}"
    }
  }
}

/// A check whether the ride app can use a log.
public enum RideRules {
  private static let needed = Rules.ride

  /// Returns the reason why a log's rules do not permit the ride app's commands; nil if the rules
  /// permit them.
  ///
  /// The rules may have wider limits than the ride app: its addresses enforce the app's own limits.
  public static func problem(with rules: Rules) -> String? {
    func narrow(_ name: String, _ limit: Int, _ least: Int) -> String? {
      limit < least
        ? "\(name) is \(limit) in the rules \(rules.name), and that app needs \(least)" : nil
    }
    if rules.handleRequired {
      return "the rules \(rules.name) require a handle, but riders have none"
    }
    for sport in needed.sports where !rules.sports.contains(where: { $0.id == sport.id }) {
      return "the rules \(rules.name) do not have the sport \(sport.id) of that app"
    }
    return narrow("displayNameLimit", rules.displayNameLimit, needed.displayNameLimit)
      ?? narrow("bioLimit", rules.bioLimit, needed.bioLimit)
      ?? narrow("photoLimit", rules.photoLimit, needed.photoLimit)
  }
}
