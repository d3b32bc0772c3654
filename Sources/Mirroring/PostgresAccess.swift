import Tables
import UseCases

/// The statements that say who may read a mirror's tables in PostgreSQL.
///
/// The role `eventlog_reader` may read all tables. On Supabase, `service_role` may too, and `anon`
/// and `authenticated` may read none, unless the policies `supabase` allow rows of two tables.
package enum PostgresAccess {
  /// The role that may read all tables.
  static let reader = "eventlog_reader"
  /// The name of the only kind of row-level security.
  package static let supabase = "supabase"
  /// The tables that the policies `supabase` need.
  static let tablesOfPolicies = ["profiles", "follows", "profile_exceptions"]

  /// Returns the statements that grant and revoke rights on tables. A role without the right to
  /// create roles executes them too; then `eventlog_reader` may be missing.
  static func rights(of schemas: [TableSchema], in schema: String) -> [String] {
    let tables = schemas.map { PostgresDialect.qualified($0.name, in: schema) }
    return [
      """
      DO $eventlog$
      BEGIN
        IF to_regrole('\(reader)') IS NULL THEN
          CREATE ROLE \(reader) NOLOGIN;
        END IF;
      EXCEPTION
        WHEN insufficient_privilege OR duplicate_object OR unique_violation THEN
          RAISE NOTICE 'the role \(reader) was not created';
      END
      $eventlog$
      """,
      """
      DO $eventlog$
      DECLARE
        tables text := \(PostgresDialect.literal(tables.joined(separator: ", ")));
        space text := \(PostgresDialect.literal(schema));
        name text;
      BEGIN
        EXECUTE 'REVOKE ALL ON ' || tables || ' FROM PUBLIC';
        FOREACH name IN ARRAY ARRAY['anon', 'authenticated', 'service_role'] LOOP
          IF to_regrole(name) IS NOT NULL THEN
            EXECUTE format('REVOKE ALL ON %s FROM %I', tables, name);
          END IF;
        END LOOP;
        FOREACH name IN ARRAY ARRAY['\(reader)', 'service_role'] LOOP
          IF to_regrole(name) IS NOT NULL THEN
            IF NOT has_schema_privilege(name, space, 'USAGE') THEN
              EXECUTE format('GRANT USAGE ON SCHEMA %I TO %I', space, name);
            END IF;
            EXECUTE format('GRANT SELECT ON %s TO %I', tables, name);
          END IF;
        END LOOP;
      END
      $eventlog$
      """,
    ]
  }

  /// Returns the statements that drop the functions of the policies.
  static func withoutPolicies(in schema: String) -> [String] {
    let own = PostgresDialect.quoted(schemaOfFunctions(schema))
    return [
      "DROP FUNCTION IF EXISTS \(own).me()", "DROP FUNCTION IF EXISTS \(own).exceptions(boolean)",
      "DROP SCHEMA IF EXISTS \(own)",
    ]
  }

  /// The schema of the policies' functions. Nobody may use it by name, so that a caller cannot ask
  /// the functions who has blocked the caller.
  static func schemaOfFunctions(_ schema: String) -> String { "\(schema)_eventlog_policies" }

  /// Returns the statements for the policies `supabase`: row-level security for `profiles` and
  /// `follows`.
  ///
  /// The caller is the claim `sub` of the setting `request.jwt.claims`, as PostgREST sets it.
  /// - A profile is readable if it is public or the caller's. A row of `profile_exceptions` shows a
  ///   private profile to the caller, or hides a public one.
  /// - A follow is readable if it is from the caller; if it is to the caller and the follower's
  ///   profile is readable; or if it has not ended and both profiles are readable.
  ///
  /// The lists of exceptions are read once for each query, and each row then costs a search in a
  /// hash table. A row of `follows` also costs a search for each of its profiles.
  package static func policies(in schema: String) -> [String] {
    let name = { PostgresDialect.qualified($0, in: schema) }
    let (profiles, follows) = (name("profiles"), name("follows"))
    let both = [profiles, follows].map(PostgresDialect.literal).joined(separator: ", ")
    let own = PostgresDialect.quoted(schemaOfFunctions(schema))
    let me = "ANY ((SELECT \(own).me())::text[])"
    let known = { (user: String) in "EXISTS (SELECT FROM \(profiles) p WHERE p.id = \(user))" }
    return functions(in: schema) + [
      "GRANT USAGE ON SCHEMA \(PostgresDialect.quoted(schema)) TO authenticated",
      "GRANT SELECT ON \(profiles), \(follows) TO authenticated",
      "ALTER TABLE \(profiles) ENABLE ROW LEVEL SECURITY",
      "ALTER TABLE \(follows) ENABLE ROW LEVEL SECURITY",
      """
      CREATE POLICY eventlog_callers ON \(profiles) FOR SELECT TO authenticated USING (
        id = \(me)
        OR id IN (SELECT \(own).exceptions(true))
        OR is_public AND id NOT IN (SELECT \(own).exceptions(false))
      )
      """,
      """
      CREATE POLICY eventlog_callers ON \(follows) FOR SELECT TO authenticated USING (
        follower_id = \(me)
        OR (followee_id = \(me) OR deleted_at IS NULL AND \(known("followee_id")))
          AND \(known("follower_id"))
      )
      """,
      """
      DO $eventlog$
      DECLARE
        name text;
        target text;
      BEGIN
        FOREACH name IN ARRAY ARRAY['\(reader)', 'service_role'] LOOP
          CONTINUE WHEN to_regrole(name) IS NULL;
          FOREACH target IN ARRAY ARRAY[\(both)] LOOP
            EXECUTE format(
              'CREATE POLICY %I ON %s FOR SELECT TO %I USING (true)', name, target, name);
          END LOOP;
        END LOOP;
      END
      $eventlog$
      """,
    ]
  }

  /// The functions of the policies. `me` returns the spellings of the caller's id, because the case
  /// of a UUID is ignored; an index finds each spelling.
  private static func functions(in schema: String) -> [String] {
    let own = PostgresDialect.quoted(schemaOfFunctions(schema))
    let path = "SET search_path = \(PostgresDialect.quoted(schema)), pg_temp"
    return [
      "CREATE SCHEMA \(own)",
      """
      CREATE FUNCTION \(own).me() RETURNS text[]
      LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $eventlog$
        SELECT CASE
          WHEN sub ~* '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'
            THEN ARRAY[sub, lower(sub), upper(sub)]
          WHEN sub IS NULL THEN ARRAY[]::text[]
          ELSE ARRAY[sub]
        END
        FROM (
          SELECT nullif(current_setting('request.jwt.claims', true), '')::json ->> 'sub'
        ) AS claims (sub)
      $eventlog$
      """,
      """
      CREATE FUNCTION \(own).exceptions(visible boolean) RETURNS SETOF text
      LANGUAGE sql STABLE SECURITY DEFINER \(path) ROWS 100 AS $eventlog$
        SELECT user_id FROM profile_exceptions
        WHERE viewer_id = ANY ((SELECT \(own).me())::text[]) AND is_visible = visible
      $eventlog$
      """,
      "REVOKE ALL ON FUNCTION \(own).me(), \(own).exceptions(boolean) FROM PUBLIC",
      "GRANT EXECUTE ON FUNCTION \(own).me(), \(own).exceptions(boolean) TO authenticated",
    ]
  }
}
