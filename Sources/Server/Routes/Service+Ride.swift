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
      case .me: return .json(rider(try await profile(user, caller)))
      case .editMe: return try await editRider(try object(body), user, caller)
      case .deleteMe:
        _ = try await DeleteAccount(core).execute(.init(), as: caller)
        return Response(204)
      case .uploadAvatar:
        let upload = UploadProfilePhoto(core, photos.storage, photos.encoder)
        let url = try await upload.execute(.init(image: body), as: caller)
        return .json(.of(["avatarUrl": .string(url)]))
      case .baseLocation:
        return .json(try await GetBaseLocation(core).execute(.init(user: user), as: caller).json)
      case .setBaseLocation:
        _ = try await perform("SetBaseLocation", try object(body), caller)
        return .json(try await GetBaseLocation(core).execute(.init(user: user), as: caller).json)
      case .sports: return .json(try await ListSports(core).execute(.init(), as: caller).json)
      case .mySports: return .json(.array(try await sports(of: user, caller)))
      case .setSport(let sport):
        var members: [JSONValue.Member] = [.init("sport", .string(sport))]
        let given = try object(body)
        for name in ["level", "isMentor"] {
          if let value = given[name] { members.append(.init(name, value)) }
        }
        _ = try await perform("SetSport", .object(members), caller)
        let items = try await sports(of: user, caller)
        return .json(items.first { $0["sportId"] == .string(sport) } ?? .null)
      case .removeSport(let sport):
        _ = try await perform("RemoveSport", .of(["sport": .string(sport)]), caller)
        return Response(204)
      }
    } catch {
      return Response(Reply(.failure(error)), position: 0)
    }
  }

  private func object(_ body: [UInt8]) throws(UseCaseError) -> JSONValue {
    do throws(InputError) { return try jsonObject(body) } catch { throw .invalidInput(error) }
  }

  private func perform(
    _ name: String, _ input: JSONValue, _ caller: Caller
  ) async throws(UseCaseError) -> JSONValue {
    let request = Request(name, as: caller.user, with: input)
    return try await core.perform([request], photos: photos)[0].result.get()
  }

  private func profile(_ user: String, _ caller: Caller) async throws(UseCaseError) -> Profile {
    try await GetProfile(core).execute(.init(user: user), as: caller)
  }

  private func rider(_ profile: Profile) -> JSONValue {
    .of([
      "id": .string(profile.user), "userId": .string(profile.user),
      "type": .string((profile.details?.riderType?.rawValue ?? "rider").uppercased()),
      "displayName": .optional(profile.displayName), "description": .optional(profile.bio),
      "avatarUrl": .optional(profile.photoURL),
      "createdAt": .optional((profile.details?.createdAt).map { "\($0)" }),
      "updatedAt": .optional((profile.details?.updatedAt).map { "\($0)" }),
    ])
  }

  /// Edits the profile, or makes it where there is none and a display name is given.
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
    do throws(UseCaseError) {
      _ = try await profile(user, caller)
    } catch {
      guard error == .refused(.profileNotFound), case .set(let name) = edit.displayName else {
        throw error
      }
      let create = CreateProfile.Input(user: user, handle: madeUpHandle(user), displayName: name)
      try await core.commit(as: caller) { [core, edit] model throws(UseCaseError) in
        _ = try CreateProfile(core).decide(create, in: &model)
        _ = try UpdateProfile(core).decide(edit, in: &model)
      }
      return .json(rider(try await profile(user, caller)))
    }
    return .json(rider(try await UpdateProfile(core).execute(edit, as: caller)))
  }

  /// Riders have no handle; where the rules want one, they get one that nobody would choose.
  private func madeUpHandle(_ user: String) -> String? {
    guard core.rules.handleRequired else { return nil }
    let digits = String(XXH64.hash(Array(user.utf8), seed: 0), radix: 16)
    return "rider_" + digits.suffix(12)
  }

  private func patch(
    _ body: JSONValue, _ name: String, most: Int, _ error: (Int) -> DomainError
  ) throws(UseCaseError) -> Patch<String> {
    switch body[name] {
    case nil: return .keep
    case .null: return .clear
    case .string(let text):
      if text.count > most { throw .refused(error(text.count)) }
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
