import Aggregates
import Events

func sport(_ name: String) throws(UseCaseError) -> SportID {
  do throws(InvalidID) { return try SportID(name) } catch { throw .refused(.unknownSport) }
}
