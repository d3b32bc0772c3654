#if PostgreSQL
  /// The tables and functions of the lease by which servers agree which of them appends, since
  /// version 3. All times are those of the database's clock.
  extension PostgresSchema {
    var leaseTables: String {
      """
      CREATE TABLE \(name).lease (
        one boolean PRIMARY KEY DEFAULT true CHECK (one),
        term bigint NOT NULL DEFAULT 0,
        holder uuid,
        until timestamptz NOT NULL DEFAULT '-infinity'
      );
      INSERT INTO \(name).lease DEFAULT VALUES;
      CREATE TABLE \(name).servers (
        id uuid PRIMARY KEY,
        address text NOT NULL,
        seen timestamptz NOT NULL
      );
      -- Signs the commands that servers pass to each other.
      CREATE TABLE \(name).secret (
        one boolean PRIMARY KEY DEFAULT true CHECK (one),
        bytes bytea NOT NULL DEFAULT uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())
      );
      INSERT INTO \(name).secret DEFAULT VALUES;

      """
    }

    /// The statements of `append` that refuse a batch of an earlier holder of the lease. They run
    /// while the lock is held that `hold` takes for a new term.
    var fencing: String {
      """
      PERFORM FROM lease l WHERE l.one AND l.term = append.term AND l.holder = caller;
          IF NOT FOUND THEN
            answer := 4;
            RETURN;
          END IF;
      """
    }

    /// `hold` registers a server, and renews or takes the lease. A renewal need not survive a crash
    /// of the database, so it does not wait for the disk; a new term does. A client waits for 5 s,
    /// and then connects again, so the server must not wait longer for a lock.
    var leaseFunctions: String {
      """
      CREATE OR REPLACE FUNCTION \(name).hold(
        server uuid, place text, milliseconds integer,
        OUT term bigint, OUT is_held integer, OUT address text
      )
      LANGUAGE plpgsql SECURITY DEFINER SET search_path = \(name), pg_temp
        SET lock_timeout = '4s' AS $$
      DECLARE
        length interval := milliseconds * interval '1 millisecond';
        entry lease%ROWTYPE;
      BEGIN
        SELECT * INTO entry FROM lease l WHERE l.one;
        IF milliseconds <= 0 THEN
          NULL; -- The server only looks.
        ELSIF entry.holder IS DISTINCT FROM server AND entry.until < clock_timestamp() THEN
          \(entering)
          UPDATE lease l SET term = l.term + 1, holder = server, until = clock_timestamp() + length
            WHERE l.one AND l.until < clock_timestamp()
            RETURNING * INTO entry;
          IF NOT FOUND THEN SELECT * INTO entry FROM lease l WHERE l.one; END IF;
          DELETE FROM servers s WHERE s.seen < clock_timestamp() - interval '1 hour';
        ELSE
          PERFORM set_config('synchronous_commit', 'off', true);
          UPDATE lease l SET until = clock_timestamp() + length
            WHERE l.one AND l.holder = server
            RETURNING * INTO entry;
          IF NOT FOUND THEN SELECT * INTO entry FROM lease l WHERE l.one; END IF;
        END IF;
        INSERT INTO servers AS s
          SELECT server, place, clock_timestamp() WHERE milliseconds > 0
          ON CONFLICT (id) DO UPDATE SET address = excluded.address, seen = excluded.seen
          WHERE s.address <> excluded.address OR s.seen < excluded.seen - interval '5 seconds';
        term := entry.term;
        is_held := CASE WHEN entry.holder = server THEN 1 ELSE 0 END;
        SELECT s.address INTO address FROM servers s
          WHERE s.id = entry.holder AND entry.until > clock_timestamp();
      END $$;

      CREATE OR REPLACE FUNCTION \(name).release(server uuid) RETURNS integer
      LANGUAGE plpgsql SECURITY DEFINER SET search_path = \(name), pg_temp
        SET lock_timeout = '4s' AS $$
      BEGIN
        UPDATE lease l SET until = '-infinity', holder = NULL WHERE l.one AND l.holder = server;
        DELETE FROM servers s WHERE s.id = server;
        RETURN 0;
      END $$;

      """
    }
  }
#endif
