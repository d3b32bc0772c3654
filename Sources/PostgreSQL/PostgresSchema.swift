#if PostgreSQL
  import EventLog
  import Events

  /// The tables and functions of a log on a PostgreSQL server, in their own schema.
  ///
  /// Only the functions write to the tables; they run with the rights of the schema's owner. The
  /// role `SCHEMA_reader` may read. `SCHEMA_writer` may read and append. `SCHEMA_rewriter` may
  /// replace lines.
  struct PostgresSchema {
    static let version = 5
    static let standard = "eventlog"

    let name: String
    /// Whether the functions also take the lock of the versions before 5. Every login of the
    /// database can take that lock, so only an upgrade uses it.
    var takesOldLock = false

    /// Creates a schema with a name.
    /// - Returns: nil unless the name is 1 to 40 small letters, digits and `_`. It must not start
    ///   with a digit or `pg_`.
    init?(_ name: String) {
      let isPlain = name.utf8.allSatisfy { byte in
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || byte == UInt8(ascii: "_")
          || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
      }
      guard isPlain, (1...40).contains(name.utf8.count), !name.hasPrefix("pg_"),
        name.utf8.first.map({ $0 > UInt8(ascii: "9") }) == true
      else { return nil }
      self.name = name
    }

    /// Returns the statements that create the schema's tables that an older version does not have,
    /// and all functions and rights.
    private func statements(from version: Int) -> String {
      let append =
        "DROP FUNCTION IF EXISTS \(name).append(bigint, bigint, \(Self.lines), uuid, integer"
      let replaced = [
        1: append + ");\n", 2: append + ", \(Self.usesWithoutAnswers));\n",
        3: appendWithoutAnswers,
      ]
      return (version == 0 ? tables : "") + (version < 2 ? secondTables : "")
        + (version < 3 ? leaseTables : "")
        + (version < 4 ? "ALTER TABLE \(name).keys ADD COLUMN answer text;\n" : "")
        // An upgrade that was interrupted has created the table.
        + (version < 5 ? "CREATE TABLE IF NOT EXISTS \(name).write_lock ();\n" : "")
        + functions + (replaced[version] ?? "") + leaseFunctions + rights
    }

    private var tables: String {
      """
      CREATE SCHEMA \(name);
      CREATE TABLE \(name).log (
        one boolean PRIMARY KEY DEFAULT true CHECK (one),
        version integer NOT NULL,
        rewritings integer NOT NULL DEFAULT 0
      );
      INSERT INTO \(name).log (version) VALUES (\(Self.version));
      CREATE TABLE \(name).events (
        position bigint PRIMARY KEY CHECK (position > 0),
        stream text COLLATE "C" NOT NULL,
        revision bigint NOT NULL CHECK (revision > 0),
        id uuid NOT NULL UNIQUE,
        sum bigint NOT NULL,
        line bytea NOT NULL,
        UNIQUE (stream, revision)
      );
      CREATE TABLE \(name).rewritings (number integer PRIMARY KEY, line text NOT NULL);
      -- New lines of a rewriting, until all are here.
      CREATE TABLE \(name).staged (
        rewriting uuid NOT NULL,
        LIKE \(name).events,
        PRIMARY KEY (rewriting, position)
      );
      -- Whose turn it is after it has lost the race too often, and until when.
      CREATE UNLOGGED TABLE \(name).turn (
        one boolean PRIMARY KEY DEFAULT true CHECK (one),
        client uuid NOT NULL,
        until timestamptz NOT NULL
      );

      """
    }

    /// The statements for the tables that version 2 added: the rules, with a row for each entry,
    /// and the keys of one day's commands. Version 4 adds the column `answer`. The column `client`
    /// is the client that recorded the key. If that client loses the answer and repeats the call,
    /// the function does not report the key as used.
    private var secondTables: String {
      """
      CREATE TABLE \(name).keys (
        tail bigint PRIMARY KEY,
        body bigint NOT NULL,
        position bigint NOT NULL,
        milliseconds bigint NOT NULL,
        client uuid NOT NULL
      );
      CREATE INDEX ON \(name).keys (milliseconds);
      CREATE TABLE \(name).rules (
        number integer PRIMARY KEY CHECK (number > 0),
        after bigint NOT NULL,
        rules text NOT NULL
      );

      """
    }

    private static let lines = "bytea[], text[], bigint[], uuid[], bigint[]"
    private static let uses = "bigint[], bigint[], bigint[], bigint[], text[]"
    private static let usesWithoutAnswers = "bigint[], bigint[], bigint[], bigint[], bigint[]"

    /// The beginning of the statement that creates the function `append`.
    /// - Parameter last: the last array about the uses of keys.
    private func appendHead(_ last: String) -> String {
      """
      CREATE OR REPLACE FUNCTION \(name).append(
        after bigint, after_sum bigint, lines bytea[], streams text[], revisions bigint[],
        ids uuid[], sums bigint[], caller uuid, losses integer,
        tails bigint[], bodies bigint[], positions bigint[], times_of bigint[], \(last),
        term bigint, OUT answer integer, OUT head bigint, OUT head_sum bigint, OUT times integer
      )
      """
    }

    /// The statement that replaces the function `append` of version 3, so that servers of that
    /// version append on the connections that they have opened before the upgrade.
    private var appendWithoutAnswers: String {
      """
      \(appendHead("notes bigint[]"))
      LANGUAGE sql SECURITY DEFINER SET search_path = \(name), pg_temp AS $$
        SELECT * FROM append($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13,
          array_fill(''::text, ARRAY[cardinality($10)]), $15)
      $$;

      """
    }

    /// The statements that create the functions. Each function takes the lock in a separate
    /// statement. Only a statement that begins while the lock is held sees the commits of earlier
    /// holders.
    ///
    /// Plans that read whole tables are off because the server makes plans while a table is empty,
    /// and keeps them. `jit` is off because the server would count a plan that scans anyway as
    /// expensive, and compile it for 5 ms. `lock_timeout` ends the calls of clients that have gone,
    /// while a standby does not confirm the call that has the lock.
    private var functions: String {
      """
      \(appendHead("answers text[]"))
      LANGUAGE plpgsql SECURITY DEFINER
      SET search_path = \(name), pg_temp SET jit = off SET enable_seqscan = off
      SET enable_hashjoin = off SET enable_mergejoin = off SET lock_timeout = '8s' AS $$
      DECLARE
        count integer := cardinality(lines);
        -- A variable, because an index cannot use a condition with the clock.
        oldest bigint :=
          (extract(epoch FROM clock_timestamp()) * 1000)::bigint - \(KeyUses.lifetime);
        wrong text;
      BEGIN
        \(entering)
        -- Small statements take half the time of one that joins.
        SELECT e.position, e.sum INTO head, head_sum FROM events e ORDER BY e.position DESC LIMIT 1;
        head := coalesce(head, 0);
        head_sum := coalesce(head_sum, 0);
        IF head <> after OR head_sum <> after_sum THEN
          -- An earlier try may have appended them, and its answer been lost. The same lines can
          -- also come from another clone; then the uses are not there, and are decided anew.
          PERFORM FROM events e WHERE e.position = after + count AND e.sum = sums[count]
            AND NOT EXISTS (
              SELECT FROM unnest(tails, positions, times_of) AS t (tail, p, m)
              LEFT JOIN keys k ON k.tail = t.tail AND k.client = caller AND k.position = t.p
                AND k.milliseconds = t.m
              WHERE k.tail IS NULL);
          answer := CASE WHEN FOUND THEN 0 ELSE 1 END;
          SELECT l.rewritings INTO times FROM log l WHERE l.one;
          -- What writes nothing waits for no standby, and the earlier try may not have waited.
          IF answer = 0 THEN UPDATE log SET version = version WHERE one; END IF;
          IF answer = 1 AND losses >= 2 THEN
            INSERT INTO turn (client, until)
              VALUES (caller, clock_timestamp() + interval '300 milliseconds')
              ON CONFLICT (one) DO UPDATE SET client = excluded.client, until = excluded.until
              WHERE turn.until < clock_timestamp() OR turn.client = excluded.client;
          END IF;
          RETURN;
        END IF;
        IF term >= 0 THEN
          \(fencing)
        END IF;
        IF cardinality(tails) > 0 THEN
          PERFORM FROM keys k JOIN unnest(tails, positions, times_of) AS t (tail, p, m)
            ON k.tail = t.tail
            WHERE k.client <> caller OR k.position <> t.p OR k.milliseconds <> t.m;
          IF FOUND THEN
            answer := 3;
            RETURN;
          END IF;
        END IF;
        IF EXISTS (
          SELECT FROM turn t WHERE t.one AND t.until > clock_timestamp() AND t.client <> caller
        ) THEN
          answer := 2;
          RETURN;
        END IF;
        IF losses > 0 THEN DELETE FROM turn t WHERE t.one AND t.client = caller; END IF;
        -- That a revision is not there twice, nor an id, the indexes say.
        INSERT INTO events
          SELECT after + o, s, r, i, u, l
          FROM unnest(lines, streams, revisions, ids, sums) WITH ORDINALITY AS t (l, s, r, i, u, o);
        SELECT s INTO wrong FROM unnest(streams, revisions) AS t (s, r)
          WHERE r > 1
            AND NOT EXISTS (SELECT FROM events e WHERE e.stream = s AND e.revision = r - 1)
          LIMIT 1;
        IF FOUND THEN
          RAISE EXCEPTION 'stream %: the revisions do not continue it', wrong;
        END IF;
        IF cardinality(tails) > 0 THEN
          INSERT INTO keys
            SELECT t.tail, b, p, m, caller, nullif(a, '')
            FROM unnest(tails, bodies, positions, times_of, answers) AS t (tail, b, p, m, a)
            ON CONFLICT DO NOTHING;
          -- A repeated call writes nothing else, and the earlier one may not have waited.
          IF count = 0 AND NOT FOUND THEN UPDATE log SET version = version WHERE one; END IF;
          -- Deletes more keys than this call adds, but only a few, so that the call stays short.
          DELETE FROM keys k WHERE k.ctid = ANY (ARRAY(
            SELECT o.ctid FROM keys o WHERE o.milliseconds < oldest
            ORDER BY o.milliseconds LIMIT 100 + 2 * cardinality(tails)));
        END IF;
        -- Clones listen for it.
        IF count > 0 THEN PERFORM pg_notify('\(name)', (after + count)::text); END IF;
        answer := 0;
        head := after + count;
        head_sum := coalesce(sums[count], after_sum);
      END $$;

      CREATE OR REPLACE FUNCTION \(name).stage(
        rewriting uuid, after bigint, lines bytea[], streams text[], revisions bigint[],
        ids uuid[], sums bigint[]
      ) RETURNS void
      LANGUAGE sql SECURITY DEFINER SET search_path = \(name), pg_temp AS $$
        INSERT INTO staged
          SELECT $1, after + o, s, r, i, u, l
          FROM unnest(lines, streams, revisions, ids, sums) WITH ORDINALITY AS t (l, s, r, i, u, o)
          ON CONFLICT (rewriting, position) DO NOTHING
      $$;

      CREATE OR REPLACE FUNCTION \(name).rewrite(
        rewriting uuid, before bigint, before_sum bigint, before_times integer,
        first bigint, last bigint, last_sum bigint, entry text,
        OUT answer integer, OUT head bigint, OUT head_sum bigint, OUT times integer
      )
      LANGUAGE plpgsql SECURITY DEFINER SET search_path = \(name), pg_temp AS $$
      DECLARE
        moved bigint;
      BEGIN
        \(entering)
        SELECT coalesce(e.position, 0), coalesce(e.sum, 0), l.rewritings
          INTO head, head_sum, times
          FROM log l
          LEFT JOIN LATERAL (
            SELECT e.position, e.sum FROM events e ORDER BY e.position DESC LIMIT 1
          ) e ON true
          WHERE l.one;
        answer := 0;
        -- An earlier try may have done it, and its answer been lost.
        PERFORM FROM rewritings r WHERE r.number = before_times + 1 AND r.line = entry;
        IF FOUND THEN
          UPDATE log SET version = version WHERE one;
          RETURN;
        END IF;
        IF head <> before OR head_sum <> before_sum OR times <> before_times THEN
          answer := 1;
          RETURN;
        END IF;
        DELETE FROM events e WHERE e.position >= first;
        INSERT INTO events
          SELECT s.position, s.stream, s.revision, s.id, s.sum, s.line FROM staged s
          WHERE s.rewriting = rewrite.rewriting AND s.position BETWEEN first AND last
          ORDER BY s.position;
        GET DIAGNOSTICS moved = ROW_COUNT;
        IF moved <> greatest(0, last - first + 1) THEN
          RAISE EXCEPTION '% of % lines of the rewriting are here', moved, last - first + 1;
        END IF;
        times := times + 1;
        head := last;
        head_sum := last_sum;
        INSERT INTO rewritings (number, line) VALUES (times, entry);
        UPDATE log SET rewritings = times;
        -- Answers can name people.
        UPDATE keys k SET answer = NULL WHERE k.answer IS NOT NULL;
        DELETE FROM staged;
      END $$;

      -- Appends an entry of the rules; answers 0 if the entry is there now, and 1 if another is.
      CREATE OR REPLACE FUNCTION \(name).record_rules(
        entry integer, last bigint, content text, OUT answer integer
      )
      LANGUAGE plpgsql SECURITY DEFINER SET search_path = \(name), pg_temp AS $$
      BEGIN
        \(entering)
        PERFORM FROM rules r WHERE r.number = entry AND r.after = last AND r.rules = content;
        IF FOUND THEN
          answer := 0;
        ELSIF entry <> 1 + (SELECT count(*) FROM rules) THEN
          answer := 1;
        ELSE
          INSERT INTO rules (number, after, rules) VALUES (entry, last, content);
          answer := 0;
        END IF;
      END $$;

      """
    }

    /// The statements with which each function that writes begins. No role has a right on the table
    /// `write_lock`, so that only these functions can take its lock.
    var entering: String {
      """
      IF current_setting('transaction_isolation') <> 'read committed' THEN
          RAISE EXCEPTION 'append needs the isolation level read committed, not %',
            current_setting('transaction_isolation');
        END IF;
        \(takesOldLock ? "PERFORM \(oldLock); " : "")LOCK TABLE write_lock IN EXCLUSIVE MODE;
      """
    }

    private var oldLock: String {
      "pg_advisory_xact_lock(7106407, '\(name).events'::regclass::oid::integer)"
    }

    /// Returns the scripts that upgrade a schema of an older version, each in one transaction.
    ///
    /// A call of an older function that has already begun knows only the old lock. So calls that
    /// begin after the first script take both locks. The last script waits for the old lock behind
    /// all older calls. Then it installs the functions that take only the new lock. The second
    /// before that is for a call that has begun and does not wait for the lock yet.
    func upgrade(from version: Int) -> [String] {
      var both = self
      both.takesOldLock = true
      return [
        both.statements(from: version) + setting(version: 4), "SELECT pg_sleep(1)",
        "SELECT set_config('lock_timeout', '30s', true); SELECT \(oldLock);\n"
          + statements(from: Self.version) + setting(version: Self.version),
      ]
    }

    /// Returns the script that creates the schema, or creates the functions of this version again.
    func creation(from version: Int) -> String {
      statements(from: version) + setting(version: Self.version)
    }

    private func setting(version: Int) -> String {
      "UPDATE \(name).log SET version = \(version);"
    }

    private var rights: String {
      let lines = Self.lines
      let append = "\(name).append(bigint, bigint, \(lines), uuid, integer, \(Self.uses), bigint)"
      let stage = "\(name).stage(uuid, bigint, \(lines))"
      let rewrite = "\(name).rewrite(uuid, bigint, bigint, integer, bigint, bigint, bigint, text)"
      return """
        DO $$
        DECLARE role text;
        BEGIN
          FOREACH role IN ARRAY ARRAY['\(name)_reader', '\(name)_writer', '\(name)_rewriter'] LOOP
            IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = role) THEN
              EXECUTE format('CREATE ROLE %I NOLOGIN', role);
            END IF;
          END LOOP;
        END $$;
        REVOKE ALL ON SCHEMA \(name) FROM PUBLIC;
        REVOKE ALL ON ALL TABLES IN SCHEMA \(name) FROM PUBLIC;
        REVOKE ALL ON ALL FUNCTIONS IN SCHEMA \(name) FROM PUBLIC;
        GRANT USAGE ON SCHEMA \(name) TO \(name)_reader, \(name)_writer, \(name)_rewriter;
        GRANT SELECT
          ON \(name).log, \(name).events, \(name).rewritings, \(name).keys, \(name).rules
          TO \(name)_reader, \(name)_writer, \(name)_rewriter;
        GRANT SELECT ON \(name).lease, \(name).servers, \(name).secret TO \(name)_writer;
        GRANT EXECUTE ON FUNCTION \(append), \(name).record_rules(integer, bigint, text),
          \(name).hold(uuid, text, integer), \(name).release(uuid)
          TO \(name)_writer;
        GRANT EXECUTE ON FUNCTION \(stage), \(rewrite) TO \(name)_rewriter;

        """
    }
  }
#endif
