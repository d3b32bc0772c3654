/// The input of use cases about one comment.
public struct CommentReferenceInput: UseCaseInput {
  public var comment: String

  public init(comment: String) { self.comment = comment }

  public init(from fields: inout Fields) throws(InputError) {
    comment = try fields.required("comment", "Which.")
  }
}
