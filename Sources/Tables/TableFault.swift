import UseCases

/// The reason why a query of tables is refused, in PostgREST's terms.
package struct TableFault: Error, Equatable, Sendable {
  /// PostgREST's or PostgreSQL's code, such as `PGRST100` or `42703`.
  package var code: String
  /// A sentence for the client.
  package var message: String
  /// More about the fault; nil if there is nothing to say.
  package var details: String?
  /// Advice; nil without any.
  package var hint: String?

  /// The code of a query that would need more work than is allowed.
  static let tooMuch = "54000"

  /// The fault of a query whose client has left.
  package static let gone = TableFault("57014", "the client has left before the answer")

  /// Creates a fault.
  package init(_ code: String, _ message: String, details: String? = nil, hint: String? = nil) {
    (self.code, self.message, self.details, self.hint) = (code, message, details, hint)
  }
}
