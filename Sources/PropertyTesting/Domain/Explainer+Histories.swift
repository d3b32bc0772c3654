import Events
import UseCases

extension Explainer {
  /// Returns the marks of a history's events.
  /// - Parameter number: the history's index among the histories of the run.
  mutating func marks(ofEventsIn drawn: DrawnHistory, _ number: Int) async -> [EventMarks] {
    var marks: [EventMarks] = []
    for needed in await drawn.needs() { marks.append(EventMarks(needed: needed)) }
    for (index, round) in drawn.rounds.enumerated() {
      let range = round.lowerBound - 1..<round.upperBound
      guard let span = base.spans.firstIndex(where: { $0.isRound && $0.range == range }) else {
        continue
      }
      marks[index].isFree = await isFree(span, from: round.lowerBound)
      if !marks[index].isFree {
        marks[index].members = await freeMembers(of: index, in: number, round)
      }
    }
    return marks
  }

  /// Returns the names of the members whose value does not matter.
  ///
  /// Draws each part of the event again. A run counts for a member if the history differs from the
  /// counterexample's in this member alone.
  private mutating func freeMembers(
    of index: Int, in number: Int, _ round: Range<Int>
  ) async -> [String] {
    let texts = base.histories[number].history.texts
    var (confirmed, needed) = ([String: Int](), Set<String>())
    var seen: Set<Range<Int>> = []
    for (span, part) in base.spans.enumerated()
    where !part.range.isEmpty && part.range.clamped(to: round) == part.range
      && seen.insert(part.range).inserted
    {
      let (start, bound) = (part.range.lowerBound, base.bounds[part.range.lowerBound])
      let isSmall = part.range.count == 1 && bound <= 16
      // The numbers of redraws that changed one member alone, and of the others.
      var (useful, useless, attempts) = (0, 0, 0 as UInt64)
      var isComplete = isSmall
      while useful < redraws, useless < 12 + 4 * useful {
        // Tries each value of a single choice in turn. If no value needs more choices, one round
        // is enough.
        if isSmall, attempts == bound + 1, isComplete, useful > 0 { break }
        let first = isSmall ? attempts % (bound + 1) : nil
        attempts += 1
        guard goesOn else { return [] }
        guard let result = await redraw(span, from: start, first: first),
          result.histories.count > number,
          let name = Self.change(of: index, from: texts, to: result.histories[number].history.texts)
        else {
          useless += 1
          continue
        }
        if result.failure != base.failure {
          needed.insert(name)
          break
        }
        isComplete = isComplete && result.tape.choices.count == base.tape.choices.count
        useful += 1
        confirmed[name, default: 0] += isComplete ? redraws : 1
      }
    }
    return Self.members(texts[index].data).map(\.name).filter {
      !needed.contains($0) && confirmed[$0, default: 0] >= redraws / 4
    }
  }

  /// Returns the name of the only member in which two histories differ; nil if there are more
  /// differences, or none.
  private static func change(
    of index: Int, from old: [EventText], to new: [EventText]
  ) -> String? {
    guard old.count == new.count, old[index].type == new[index].type,
      old[index].actor == new[index].actor,
      old.indices.allSatisfy({ $0 == index || old[$0] == new[$0] })
    else { return nil }
    let (before, after) = (members(old[index].data), members(new[index].data))
    guard before.map(\.name) == after.map(\.name) else { return nil }
    let changed = zip(before, after).filter { $0.0 != $0.1 }
    return changed.count == 1 ? changed[0].0.name : nil
  }

  private static func members(_ data: [UInt8]) -> [JSONValue.Member] {
    guard let value = try? JSONValue(object: data), case .object(let members) = value else {
      return []
    }
    return members
  }
}

/// An event's type, actor and data, in the form in which a log has them.
private struct EventText: Equatable {
  var type: String
  var actor: String
  var data: [UInt8]
}

extension GeneratedHistory {
  fileprivate var texts: [EventText] {
    newEvents.map { EventText(type: $0.type, actor: $0.actor, data: $0.data) }
  }
}

extension DrawnHistory {
  /// For each event, the indices of the later events that the domain forbids without it.
  /// - Complexity: O(events²).
  fileprivate func needs() async -> [[Int]] {
    let all = Set(await forbidden(in: history))
    var needs: [[Int]] = []
    for index in history.entries.indices {
      var without = history
      without.entries.remove(at: index)
      let found = await forbidden(in: without)
      needs.append(
        found.map { $0 < index ? $0 : $0 + 1 }.filter { $0 > index && !all.contains($0) })
    }
    return needs
  }

  /// Returns the indices of the events that the rules forbid.
  private func forbidden(in history: GeneratedHistory) async -> [Int] {
    var found: [Int] = []
    guard let view = try? await history.log().view() else { return [] }
    let rules = RuleHistory(contents.rules)
    _ = try? Check(view, by: rules, found: { found.append(Int($0.seq) - 1) })
    return found
  }
}
