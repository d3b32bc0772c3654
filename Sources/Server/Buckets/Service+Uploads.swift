import Aggregates
import Events
import UseCases

// The calls that store and remove objects.
extension Service {
  /// Performs a change of the buckets. With an `Idempotency-Key`, performs it only once.
  /// - Parameters:
  ///   - identity: the value by which a retry is recognised as the same change.
  ///   - perform: performs the change, for the request's key.
  func change(
    _ identity: KeyValuePairs<String, JSONValue>, _ request: Admitted,
    _ respond: @escaping @Sendable (Response) -> Void,
    _ perform: @escaping @Sendable (IdempotencyKey?) async -> Response
  ) {
    let work = Call.Work.photo { (core, call, _) async throws(UseCaseError) in
      let response = await perform(call.key)
      let answer = CallAnswer(response.recorded)
      if call.key != nil, core.notesKeys, response.isFinal {
        // The other servers of the log must know the answer, too.
        let note = Call.Work.command { (_, _) in .known(answer) }
        _ = try await core.outcome(of: Call("", note, as: call.caller, key: call.key), nil)
          .result.get()
      }
      return (answer, 0..<0)
    }
    self.perform(Call("", work, as: request.session.caller), identity, request, respond)
  }

  private func perform(
    _ call: Call, _ identity: KeyValuePairs<String, JSONValue>, _ request: Admitted,
    _ respond: @escaping @Sendable (Response) -> Void
  ) {
    do throws(InputError) {
      try perform(
        call, .of(identity), request,
        form: { [self] reply, _ in
          switch reply.result {
          case .failure(let error): Response(error).asOfStorage
          case .success(.string(let path)): StoredPath(path).map(stored) ?? .noPhoto
          case .success(let answer): Response(recorded: answer) ?? Response(200)
          }
        }, respond)
    } catch {
      respond(Response(.invalidInput(error)))
    }
  }

  /// Stores a photo at a path that the client chose. The photo of a workout gets another file name,
  /// because `AttachWorkoutPhoto` decides it; the answer has the real path.
  func upload(
    _ image: [UInt8], to object: StoredPath, replaces: Bool, _ request: Admitted,
    _ respond: @escaping @Sendable (Response) -> Void
  ) {
    let caller = request.session.caller
    let digest = String(XXH64.hash(image, seed: 0), radix: 16)
    let identity: KeyValuePairs<String, JSONValue> = [
      "upload": .string(object.text), "replaces": .bool(replaces),
      "image": .string("\(image.count) \(digest)"),
    ]
    guard object.folder == .workouts else {
      return change(identity, request, respond) { [self] key in
        await store(image, at: object, caller, replaces: replaces, isRetry: key != nil).asOfStorage
      }
    }
    let name = AttachWorkoutPhoto.about.name
    guard let entry = core.useCases.find(name) else { return respond(.noPhoto) }
    let work = Call.Work.photo { (core, call, photos) async throws(UseCaseError) in
      if !replaces, core.shows(object, to: caller) {
        return (CallAnswer(Response.photoExists(object).recorded), 0..<0)
      }
      let input = JSONValue.of(["workout": .string(object.owner), "image": .string("body")])
      var attaching: Call
      do throws(InputError) {
        attaching = try Call(entry, input, as: caller, image: { _ in image })
      } catch {
        throw .invalidInput(error)
      }
      (attaching.key, attaching.caller.time) = (call.key, call.caller.time)
      let outcome = await core.outcome(of: attaching, photos)
      return (try outcome.result.get(), outcome.seqs)
    }
    perform(Call(name, work, as: caller), identity, request, respond)
  }

  /// Stores a photo in the caller's folder.
  /// - Parameter isRetry: whether an earlier try may have stored the same photo.
  private func store(
    _ image: [UInt8], at object: StoredPath, _ caller: Caller, replaces: Bool, isRetry: Bool
  ) async -> Response {
    guard let object = own(object, of: caller) else { return Self.notOwn }
    do throws(UseCaseError) {
      _ = try await GetProfile(core).execute(.init(user: object.owner), as: caller)
    } catch {
      return Response(error)
    }
    if let refusal = begin(object, replaces: replaces) {
      if isRetry, refusal.status == 409, await isStored(image, at: object) { return stored(object) }
      return refusal
    }
    defer { finish(object) }
    return await store(image, at: object)
  }

  /// Returns whether the file of an object already has this photo.
  private func isStored(_ image: [UInt8], at object: StoredPath) async -> Bool {
    let there = try? FileSystem.posix.contents(of: "\(photoFolder)/\(object.text)")
    let encoded = try? await shrunk(image, with: photos.encoder, rules: core.rules)
    return there != nil && there == encoded?.bytes
  }

  private static let notOwn = Response.failure(
    403, "notAuthorized", "users may store and remove photos only in their own folder")

  private func stored(_ object: StoredPath) -> Response {
    .json(
      .of([
        "Id": .string(StoredObject.id(of: object)), "Key": .string(object.text),
        "path": .string(object.name),
      ]))
  }

  /// Registers an upload, so that simultaneous ones do not exceed the limit or write one file at
  /// once. Returns an error answer if the upload is refused; otherwise nil.
  private func begin(_ object: StoredPath, replaces: Bool) -> Response? {
    let there = Set(files(of: object.owner))
    return uploads.withLock { uploads in
      let underWay = uploads[object.owner, default: []]
      if underWay.contains(object.file) {
        return .failure(423, "photoLocked", "another request is storing this photo; try again")
      }
      if there.contains(object.file) {
        if !replaces { return .photoExists(object) }
      } else if there.union(underWay).count >= bounds.storedPhotos {
        return .failure(
          422, "tooManyPhotos", "one user may store \(bounds.storedPhotos) photos; delete some")
      }
      uploads[object.owner] = underWay.union([object.file])
      return nil
    }
  }

  private func finish(_ object: StoredPath) {
    uploads.withLock { uploads in
      uploads[object.owner]?.remove(object.file)
      if uploads[object.owner]?.isEmpty == true { uploads[object.owner] = nil }
    }
  }

  private func store(_ image: [UInt8], at object: StoredPath) async -> Response {
    let encoded: EncodedPhoto
    do throws(DomainError) {
      encoded = try await shrunk(image, with: photos.encoder, rules: core.rules, for: object.owner)
    } catch {
      return Response(.refused(error))
    }
    guard object.isNamed(as: encoded.contentType) else {
      return .failure(
        400, "invalidKey",
        "the server stores this photo as \(encoded.contentType): upload it under a name that ends "
          + "in \(encoded.contentType == "image/png" ? ".png" : ".jpg"), or has no extension")
    }
    do throws(PhotoStorageError) {
      _ = try await photos.storage.put(encoded.bytes, at: object.text)
      // The account may have been deleted since the request began.
      if core.hasOwner(object) { return stored(object) }
      try await photos.storage.delete(object.text)
      return Response(.refused(.profileNotFound))
    } catch {
      return Response(.uploadFailed(reason: error.description))
    }
  }

  // MARK: Removal

  private static let viaUseCase = Refusal.notSupported(
    "the photo of a workout is not removed here",
    hint: "call AttachWorkoutDetail without image, or RemoveWorkout"
  ).response

  func remove(_ object: StoredPath, _ caller: Caller) async -> Response {
    if object.folder == .workouts { return Self.viaUseCase }
    guard let object = own(object, of: caller) else { return Self.notOwn }
    do throws(PhotoStorageError) {
      guard try await delete(object) != nil else { return .noPhoto }
      return .json(.of(["message": .string("Successfully deleted")]))
    } catch {
      return Response(.storageFailed(reason: error.description))
    }
  }

  /// Removes the caller's objects in a list, and answers the removed ones. Ignores other objects.
  func removeMany(_ bucket: StoredPath.Folder, _ body: [UInt8], _ caller: Caller) async -> Response
  {
    if bucket == .workouts { return Self.viaUseCase }
    let names: [String]
    do throws(InputError) {
      names = try self.names(try jsonObject(body), "prefixes")
    } catch {
      return Response(.invalidInput(error))
    }
    var removed: [JSONValue] = []
    for name in names {
      guard let object = StoredPath(bucket, name: name).flatMap({ own($0, of: caller) }) else {
        continue
      }
      do throws(PhotoStorageError) {
        if let old = try await delete(object) { removed.append(old.removed) }
      } catch {
        return Response(.storageFailed(reason: error.description))
      }
    }
    return .json(.array(removed))
  }

  /// Deletes an object. Returns the deleted object; nil if there is none.
  private func delete(_ object: StoredPath) async throws(PhotoStorageError) -> StoredObject? {
    guard let old = StoredObject(object, in: photoFolder) else { return nil }
    try await photos.storage.delete(object.text)
    return old
  }
}
