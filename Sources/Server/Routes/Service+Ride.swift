import Aggregates
import Events
import UseCases

/// The interface of the ride app, as its clients know it: the same use cases under other names.
extension Service {
  func ride(_ call: RideCall, _ body: [UInt8], _ caller: Caller) async -> Response {
    guard let user = caller.user else {
      return .failure(403, "notAuthorized", "these addresses are for riders, not for services")
    }
    do throws(UseCaseError) {
      switch call {
      case .me: return .json(try await rider(user, caller))
      case .editMe: return try await editRider(try object(body), user, caller)
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
        let place = try known(["latitude", "longitude", "name"], of: try object(body))
        try await write(SetBaseLocation(core), try input(place), user, caller)
        return .json(try await GetBaseLocation(core).execute(.init(user: user), as: caller).json)
      case .sports: return .json(try await ListSports(core).execute(.init(), as: caller).json)
      case .mySports: return .json(.array(try await sports(of: user, caller)))
      case .setSport(let sport):
        var members = try known(["level", "isMentor"], of: try object(body))
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
      return Response(Reply(.failure(error)), position: 0)
    }
  }

  private func object(_ body: [UInt8]) throws(UseCaseError) -> JSONValue {
    do throws(InputError) { return try jsonObject(body) } catch { throw .invalidInput(error) }
  }

  /// The members of a body that an address reads; it ignores others, as all these addresses do.
  private func known(
    _ names: [String], of body: JSONValue
  ) throws(UseCaseError) -> [JSONValue.Member] {
    names.compactMap { name in body[name].map { JSONValue.Member(name, $0) } }
  }

  private func input<Input: UseCaseInput>(
    _ members: [JSONValue.Member]
  ) throws(UseCaseError) -> Input {
    do throws(InputError) {
      return try Fields.read(.object(members)) { (_) throws(InputError) in [] }
    } catch {
      throw .invalidInput(error)
    }
  }

  /// Performs a command of a rider. A rider's first command also makes the profile, in the same
  /// commit.
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
      // Another request of the rider may have made the profile just now.
      guard error == .refused(.profileExists), try await hasProfile(user, caller) else {
        throw error
      }
      _ = try await command.execute(input, as: caller)
    }
  }

  /// Makes the profile of a rider who has none, if the bytes are a photo.
  private func makeRider(
    for image: [UInt8], _ user: String, _ caller: Caller
  ) async throws(UseCaseError) {
    if try await hasProfile(user, caller) { return }
    do throws(DomainError) {
      _ = try shrunk(image, with: photos.encoder, rules: core.rules)
    } catch {
      throw .refused(error)
    }
    try await write(UpdateProfile(core), UpdateProfile.Input(user: user), user, caller)
  }

  private func hasProfile(_ user: String, _ caller: Caller) async throws(UseCaseError) -> Bool {
    do throws(UseCaseError) {
      _ = try await profile(user, caller)
      return true
    } catch {
      if error == .refused(.profileNotFound) { return false }
      throw error
    }
  }

  private func profile(_ user: String, _ caller: Caller) async throws(UseCaseError) -> Profile {
    try await GetProfile(core).execute(.init(user: user), as: caller)
  }

  /// The caller as a rider; one without a profile has an id and nothing else.
  private func rider(_ user: String, _ caller: Caller) async throws(UseCaseError) -> JSONValue {
    let profile: Profile? = try await hasProfile(user, caller) ? profile(user, caller) : nil
    return .of([
      "id": .string(user), "userId": .string(user),
      "type": .string((profile?.details?.riderType?.rawValue ?? "rider").uppercased()),
      "displayName": .optional(profile?.displayName), "description": .optional(profile?.bio),
      "avatarUrl": .optional(profile?.photoURL),
      "createdAt": .optional((profile?.details?.createdAt).map { "\($0)" }),
      "updatedAt": .optional((profile?.details?.updatedAt).map { "\($0)" }),
    ])
  }

  /// Edits the profile, and makes it if there is none.
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
        "level": .string(item.level.rawValue.uppercased()), "isMentor": .bool(item.isMentor),
      ])
    }
  }
}
