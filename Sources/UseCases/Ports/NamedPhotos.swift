import Events

extension Model {
  /// Returns whether the photo is named by the profile or the workout that owns the photo's folder.
  ///
  /// Another user's profile does not count, because only the owner may put photos into the folder.
  func names(_ photo: StoredPath) -> Bool {
    // A photo's address may contain the owner's UUID in the other letter case.
    func isSame(_ other: StoredPath?) -> Bool {
      guard let other else { return false }
      return other.folder == photo.folder && other.file == photo.file
        && isSameUser(other.owner, photo.owner)
    }
    switch photo.folder {
    case .avatars:
      return spellings(ofUser: photo.owner).contains { name in
        guard let user = existing(name), let set = views.profile(of: user)?.photo else {
          return false
        }
        return isSame(set.path.flatMap { StoredPath($0) }) || isSame(StoredPath(url: set.url))
      }
    case .workouts:
      guard let id = views.find(workout: photo.owner, in: names), views.workout(id) != nil else {
        return false
      }
      return views.detail(of: id)?.storedPath == photo.text
    }
  }

  /// Returns whether the account or workout that owns a photo's folder exists.
  func hasOwner(_ photo: StoredPath) -> Bool {
    switch photo.folder {
    case .avatars:
      spellings(ofUser: photo.owner).contains { existing($0) != nil }
    case .workouts:
      views.find(workout: photo.owner, in: names).flatMap { views.workout($0) } != nil
    }
  }
}

extension Model {
  /// Returns the path of the photo that a profile shows the caller; nil if the caller does not see
  /// the profile in full, or if the photo is not in the profile's own folder.
  fileprivate func photo(ofUser name: String, for caller: Caller) -> StoredPath? {
    for name in spellings(ofUser: name) {
      guard let user = existing(name), visibility(of: user, viewer(caller)) == .full,
        let path = views.profile(of: user)?.photo?.storedPath.flatMap({ StoredPath($0) }),
        path.folder == .avatars, isSameUser(path.owner, names[user])
      else { continue }
      return StoredPath(.avatars, names[user], path.file)
    }
    return nil
  }

  /// Returns the path of a workout's photo; nil if there is none, or the caller may not see the
  /// workout.
  fileprivate func photo(ofWorkout id: String, for caller: Caller) -> StoredPath? {
    guard let shared = try? visible(id, to: caller),
      let path = views.detail(of: shared.workout)?.storedPath.flatMap({ StoredPath($0) }),
      path.owner == id
    else { return nil }
    return path
  }
}

extension Core {
  /// Returns the photo that a profile or a workout shows the caller; nil if it shows none, or if
  /// the caller may not see the profile or the workout.
  package func photo(
    in folder: StoredPath.Folder, of owner: String, for caller: Caller
  ) -> StoredPath? {
    state.withLock { state in
      switch folder {
      case .avatars: state.model.photo(ofUser: owner, for: caller)
      case .workouts: state.model.photo(ofWorkout: owner, for: caller)
      }
    }
  }

  /// Returns the ids of those of the caller's newest workouts that have a photo.
  /// - Parameter most: the number of workouts that are read.
  package func workoutsWithPhotos(of caller: Caller, most: Int) -> [String] {
    state.withLock { state in
      guard let name = caller.user, let user = state.model.existing(name) else { return [] }
      var newest: [WorkoutShared] = []
      state.model.views.visitNewest(of: [(user, most)]) {
        newest.append($0)
        return newest.count < most
      }
      return newest.map { state.model.names[$0.workout] }
        .filter { state.model.photo(ofWorkout: $0, for: caller) != nil }
    }
  }

  /// Returns whether the profile or the workout that owns a stored photo's folder names the photo
  /// now.
  package func names(_ photo: StoredPath) -> Bool {
    state.withLock { $0.model.names(photo) }
  }

  /// Returns whether the account or workout that owns a photo's folder exists.
  package func hasOwner(_ photo: StoredPath) -> Bool {
    state.withLock { $0.model.hasOwner(photo) }
  }

  /// Returns whether the owner of a photo's folder is gone for good: the account is deleted, or the
  /// workout does not exist. A workout exists before its photo, and neither comes back.
  func isOwnerGone(_ photo: StoredPath) -> Bool {
    state.withLock { state in
      guard photo.folder == .avatars else { return !state.model.hasOwner(photo) }
      return spellings(ofUser: photo.owner).contains { name in
        guard let user = state.model.views.find(user: name, in: state.model.names) else {
          return false
        }
        return state.model.views.isDeleted(user)
      }
    }
  }

  /// Returns whether a workout names a photo now and the caller may see that workout.
  package func shows(_ photo: StoredPath, to caller: Caller) -> Bool {
    state.withLock { state in
      photo.folder == .workouts && state.model.names(photo)
        && (try? state.model.visible(photo.owner, to: caller)) != nil
    }
  }

  /// Returns the path of every photo that a profile or a workout names now, with its owner such as
  /// `profile/ann` or `workout/w1`. Sorts by path.
  /// - Complexity: O(log), but decodes only events about photos.
  package func namedPhotos() async throws(SubscriptionError) -> [(path: String, of: String)] {
    let (view, known) = try await snapshot()
    var last: [String: String] = [:]
    var names = Names()
    do throws(LogError) {
      try view.forEachPhotoEvent(after: 0, until: known, &names) { event, _, names in
        guard let (subject, path) = event.namedPhoto else { return }
        switch subject {
        case .user(let user): last["profile/\(names[user])"] = path
        case .workout(let workout): last["workout/\(names[workout])"] = path
        }
      }
    } catch {
      throw .log(error)
    }
    return last.filter { owner, path in
      // A workout may have been removed with its owner's account, without an event of its own.
      StoredPath(path).map { owner.hasPrefix("profile/") || self.names($0) } ?? true
    }.map { ($0.value, $0.key) }.sorted { $0.path < $1.path }
  }
}

/// Returns whether two ids belong to the same user; a UUID may be in lower or upper case.
package func isSameUser(_ one: String, _ other: String) -> Bool {
  one == other || EventID(one) != nil && one.lowercased() == other.lowercased()
}

/// Returns a user's id, and for a UUID also its lower-case and upper-case forms.
func spellings(ofUser id: String) -> [String] {
  EventID(id) == nil ? [id] : [id] + [id.lowercased(), id.uppercased()].filter { $0 != id }
}
