import FaultTesting
import Foundation
import Testing

/// The commands that handle photos, on a log with an avatar and a workout's photo.
@Suite struct PhotoCommandTests {
  private static let pixel =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg=="

  private func shell() throws -> Shell {
    let shell = try Shell()
    let made = try shell.run(
      "eventlog init my.log && echo \(Self.pixel) | base64 -d > p.png && "
        + "eventlog do CreateProfile user=ann handle=ann --as ann --log my.log && "
        + "eventlog do ShareWorkout workout=w1 date=2026-01-05T10:00:00Z workoutType=2000m "
        + "totalTime=07:30.0 totalDistance:=2000 --as ann --log my.log && "
        + "eventlog do UploadProfilePhoto image=p.png --as ann --log my.log && "
        + "eventlog do AttachWorkoutPhoto workout=w1 image=p.png --as ann --log my.log")
    #expect(made.code == 0, "\(made)")
    return shell
  }

  @Test("verify --photos names missing and orphaned photos of profiles and workouts")
  func verify() throws {
    let shell = try shell()
    defer { shell.remove() }
    let verify = "eventlog verify --photos --log my.log --format csv"
    let whole = try shell.run(verify)
    #expect(whole.code == 0 && whole.output.hasSuffix("photo,state,of\n"), "\(whole)")
    let orphaned = try shell.run("cp p.png my.log/photos/avatars/ann/x.png; \(verify)")
    #expect(orphaned.code == 0, "\(orphaned)")
    #expect(orphaned.output.hasSuffix("\navatars/ann/x.png,orphaned,\n"), "\(orphaned)")
    let missing = try shell.run("rm my.log/photos/workouts/w1/*; \(verify)")
    #expect(missing.code == 65, "\(missing)")
    let lines = missing.output.split(separator: "\n")
    #expect(
      lines.contains { $0.hasPrefix("workouts/w1/") && $0.hasSuffix(",missing,workout/w1") })
    #expect(try shell.run("\(verify) --photo-folder elsewhere").code == 65)
    #expect(try shell.run("eventlog verify --photo-folder x --log my.log").code == 64)
    #expect(try shell.run("eventlog verify --log my.log").code == 0)
  }

  @Test("A backup has both kinds of photos, and forget and janitor remove both")
  func others() throws {
    let shell = try shell()
    defer { shell.remove() }
    let restored = try shell.run(
      "eventlog backup b --log my.log && eventlog restore b --log again.log && "
        + "eventlog verify --photos --log again.log")
    #expect(restored.code == 0, "\(restored)")
    let count = "find my.log/photos -type f | wc -l"
    let removed = try shell.run(
      "eventlog do RemoveWorkout workout=w1 --as ann --log my.log && "
        + "eventlog janitor --log my.log --position p && \(count)")
    #expect(removed.output.hasSuffix("1\n"), "\(removed)")
    let forgotten = try shell.run(
      "cp -R again.log/photos/workouts my.log/photos/; eventlog forget ann --yes --log my.log; "
        + "\(count)")
    #expect(forgotten.output.hasSuffix("0\n"), "\(forgotten)")
  }
}
