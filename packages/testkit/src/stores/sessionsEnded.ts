import { eventually } from "../server/eventually.ts"
import { execute } from "./postgresServer.ts"

/** Waits until every other session of a database has ended, and so reported what it read. */
export const sessionsEnded = (url: string): Promise<boolean> =>
  eventually("the end of the sessions", async () => {
    const [row] = await execute(
      url,
      `select count(*)::int as open from pg_stat_activity
       where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'`
    )
    return row?.["open"] === 0 ? true : undefined
  })
