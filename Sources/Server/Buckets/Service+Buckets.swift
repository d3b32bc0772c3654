import Events
import UseCases

// The calls that read: objects, their metadata, lists and signed links.
extension Service {
  func answer(
    _ call: BucketCall, _ request: Admitted, _ body: [UInt8],
    _ respond: @escaping @Sendable (Response) -> Void
  ) {
    let caller = request.session.caller
    switch call {
    case .buckets:
      respond(.json(.array([StoredPath.Folder.avatars, .workouts].map(describe))))
    case .bucket(let bucket): respond(.json(describe(bucket)))
    case .send(let object): respond(send(readable(object, by: caller), request))
    case .sendPublic(let object): respond(send(servedToAll(object), request))
    case .sendSigned(let object): respond(sendSigned(object, request))
    case .info(let object): respond(info(of: readable(object, by: caller)))
    case .infoPublic(let object): respond(info(of: servedToAll(object)))
    case .list, .sign, .signMany:
      do throws(InputError) {
        respond(try answer(call, caller, jsonObject(body)))
      } catch {
        respond(Response(.invalidInput(error)))
      }
    case .upload(let object, let replaces):
      upload(
        body, to: object, replaces: replaces || request.head[.upsert]?.lowercased() == "true",
        request, respond)
    case .remove(let object):
      change(["remove": .string(object.text)], request, respond) { [self] _ in
        await remove(object, caller)
      }
    case .removeMany(let bucket):
      let names = (try? jsonObject(body)) ?? .null
      change(["from": .string(bucket.rawValue), "remove": names], request, respond) { [self] _ in
        await removeMany(bucket, body, caller)
      }
    }
  }

  private func answer(
    _ call: BucketCall, _ caller: Caller, _ input: JSONValue
  ) throws(InputError) -> Response {
    switch call {
    case .list(let bucket): return .json(.array(try list(bucket, try ObjectQuery(input), caller)))
    case .sign(let object): return try sign(object, caller, input)
    case .signMany(let bucket): return try signMany(bucket, caller, input)
    default: return .noPhoto
    }
  }

  private func describe(_ bucket: StoredPath.Folder) -> JSONValue {
    // The buckets belong to the server, so they have no owner and no time of their own.
    let time = JSONValue.string("\(Timestamp(milliseconds: 0))")
    return .of([
      "id": .string(bucket.rawValue), "name": .string(bucket.rawValue), "owner": .string(""),
      "public": .bool(bucket == .avatars), "type": .string("STANDARD"),
      "file_size_limit": .int(core.rules.photoLimit),
      "allowed_mime_types": .array([.string("image/jpeg"), .string("image/png")]),
      "created_at": time, "updated_at": time,
    ])
  }

  // MARK: Objects

  /// Returns where a profile's photo is stored, if the server sends it to everybody: the profile
  /// names it, or it was stored within the last hour, because the profile may name it soon.
  private func servedToAll(_ object: StoredPath) -> StoredPath? {
    let oldest = options.now().milliseconds - PhotoSweep.grace
    // Clients write UUIDs in upper or lower case.
    for user in [object.owner, core.spelling(ofUser: object.owner)] {
      let path = StoredPath(.avatars, user, object.file)
      guard let status = try? FileSystem.posix.status("\(photoFolder)/\(path.text)") else {
        continue
      }
      if core.names(path) || core.hasOwner(path) && status.changed / 1_000_000 >= oldest {
        return path
      }
    }
    return nil
  }

  /// Returns where an object is stored, if a caller may read it; nil otherwise.
  private func readable(_ object: StoredPath, by caller: Caller) -> StoredPath? {
    switch object.folder {
    case .avatars: own(object, of: caller) ?? servedToAll(object)
    case .workouts: core.shows(object, to: caller) ? object : nil
    }
  }

  /// Returns an object's path in the caller's folder, with the folder as the log spells it; nil if
  /// the object is in another folder.
  func own(_ object: StoredPath, of caller: Caller) -> StoredPath? {
    guard object.folder == .avatars, let user = caller.user, isSameUser(object.owner, user) else {
      return nil
    }
    return StoredPath(.avatars, user, object.file)
  }

  private func send(_ object: StoredPath?, _ request: Admitted) -> Response {
    guard let object,
      let bytes = try? FileSystem.posix.contents(of: "\(photoFolder)/\(object.text)"),
      let header = ImageHeader(bytes)
    else { return .noPhoto }
    var headers: [(name: StaticString, value: String)] = [
      ("Content-Type", header.contentType), ("X-Content-Type-Options", "nosniff"),
      ("Content-Security-Policy", "default-src 'none'; sandbox"),
      ("Cache-Control", StoredObject.cacheControl(object.folder)),
    ]
    switch object.folder {
    case .avatars: headers.append(("Cross-Origin-Resource-Policy", "cross-origin"))
    case .workouts:
      headers.append(("Vary", options.trustsUserHeader ? "X-User" : "Authorization"))
    }
    if let item = request.target.items.first(where: { $0.name == "download" }) {
      let name = item.value.isEmpty ? object.file : item.value
      headers.append(("Content-Disposition", "attachment; filename*=UTF-8''\(parameter(name))"))
    }
    return Response(200, headers, bytes)
  }

  /// Returns a file name for a header (RFC 8187): all bytes except letters and digits are escaped.
  private func parameter(_ name: String) -> String {
    name.utf8.prefix(255).map {
      isAlphanumeric($0) || $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "-")
        ? String(UnicodeScalar($0)) : "%" + hex([$0]).uppercased()
    }.joined()
  }

  private func info(of object: StoredPath?) -> Response {
    guard let object, let found = StoredObject(object, in: photoFolder) else { return .noPhoto }
    return .json(found.info)
  }

  // MARK: Lists

  /// Returns the objects or folders of a list.
  ///
  /// A bucket's list has only the caller's own folder or workouts. A folder's list has all objects
  /// for the owner, and otherwise only the photo that the profile or workout shows the caller.
  private func list(
    _ bucket: StoredPath.Folder, _ query: ObjectQuery, _ caller: Caller
  ) throws(InputError) -> [JSONValue] {
    guard query.isPossible else { return [] }
    guard let folder = query.folder else {
      switch bucket {
      case .avatars:
        guard let user = caller.user, !ownObjects(user).isEmpty else { return [] }
        return query.page(ofFolders: [user])
      case .workouts:
        return query.page(ofFolders: core.workoutsWithPhotos(of: caller, most: ObjectQuery.most))
      }
    }
    if bucket == .avatars {
      if let user = caller.user, isSameUser(folder, user) {
        return query.page(of: ownObjects(user))
      }
      if caller.service != nil { return query.page(of: ownObjects(core.spelling(ofUser: folder))) }
    }
    guard let photo = core.photo(in: bucket, of: folder, for: caller),
      let object = StoredObject(photo, in: photoFolder)
    else { return [] }
    return query.page(of: [object])
  }

  /// Returns the objects in a user's folder, at most `ObjectQuery.most`.
  private func ownObjects(_ user: String) -> [StoredObject] {
    guard hasAccount(user) else { return [] }
    return files(of: user).prefix(ObjectQuery.most).compactMap {
      StoredObject(StoredPath(.avatars, user, $0), in: photoFolder)
    }
  }

  private func hasAccount(_ user: String) -> Bool {
    core.hasOwner(StoredPath(.avatars, user, ""))
  }

  /// Returns the names of the photos in a user's folder.
  func files(of user: String) -> [String] {
    let names = (try? FileSystem.posix.list("\(photoFolder)/avatars/\(user)")) ?? []
    return names.filter { StoredPath.isFile($0) && !$0.hasSuffix(".tmp") }
  }

  // MARK: Signed links

  private func sign(
    _ object: StoredPath, _ caller: Caller, _ input: JSONValue
  ) throws(InputError) -> Response {
    let seconds = try lifetime(input)
    guard let links = options.links else { return noLinks }
    guard let address = address(object, links, caller, seconds) else { return .noPhoto }
    return .json(.of(["signedURL": .string(address)]))
  }

  private func signMany(
    _ bucket: StoredPath.Folder, _ caller: Caller, _ input: JSONValue
  ) throws(InputError) -> Response {
    let (seconds, names) = (try lifetime(input), try self.names(input, "paths"))
    guard let links = options.links else { return noLinks }
    let signed = names.map { name -> JSONValue in
      let object = StoredPath(bucket, name: name)
      let found = object.flatMap { address($0, links, caller, seconds) }
      return .of([
        "path": .string(name), "signedURL": .optional(found),
        "error": found == nil ? .string("there is no such photo") : .null,
      ])
    }
    return .json(.array(signed))
  }

  private var noLinks: Response {
    .failure(503, "notReady", "this server has no key to sign links with")
  }

  /// Returns the address of a signed link; nil if the caller may not read the object.
  private func address(
    _ object: StoredPath, _ links: SignedLinks, _ caller: Caller, _ seconds: Int
  ) -> String? {
    guard let found = readable(object, by: caller), StoredObject(found, in: photoFolder) != nil
    else { return nil }
    let token = links.token(object, signer: caller, seconds: seconds, now: options.now())
    return "/object/sign/\(percentEncoded(object.text))?token=\(token)"
  }

  private func sendSigned(_ object: StoredPath, _ request: Admitted) -> Response {
    guard let links = options.links else { return noLinks }
    let token = request.target.items.first { $0.name == "token" }?.value ?? ""
    let signer: Caller
    do throws(SignedLinks.Fault) {
      signer = try links.signer(of: token, for: object, now: options.now())
    } catch {
      switch error {
      case .expired: return .failure(400, "linkExpired", "the link has expired; sign a new one")
      case .invalid:
        return .failure(400, "linkInvalid", "the token was not signed for this object")
      }
    }
    // A signer whose account is deleted may see nothing, not even public workouts.
    if let user = signer.user, !hasAccount(user) { return .noPhoto }
    return send(readable(object, by: core.spelled(signer)), request)
  }

  /// Returns the seconds for which a link is valid. Clients send a number, or its digits as a text.
  private func lifetime(_ input: JSONValue) throws(InputError) -> Int {
    var seconds = input["expiresIn"]?.uint64.flatMap { Int(exactly: $0) }
    if case .string(let digits)? = input["expiresIn"] { seconds = Int(digits) }
    guard let seconds, (1...SignedLinks.longest).contains(seconds) else {
      throw InputError(
        "expiresIn", "a number of seconds from 1 to \(SignedLinks.longest) is expected")
    }
    return seconds
  }

  /// Returns a list of objects' names in the input of a call.
  func names(_ input: JSONValue, _ field: String) throws(InputError) -> [String] {
    guard case .array(let values)? = input[field] else {
      throw InputError(field, "a list of paths is expected")
    }
    guard values.count <= ObjectQuery.most else {
      throw InputError(
        field, "at most \(ObjectQuery.most) paths are expected; there are \(values.count)")
    }
    var names: [String] = []
    for (index, value) in values.enumerated() {
      guard case .string(let name) = value else {
        throw InputError("\(field)[\(index)]", "a text is expected")
      }
      names.append(name)
    }
    return names
  }
}
