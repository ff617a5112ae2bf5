import {
  type Change,
  type DueErasure,
  type Erasure,
  type ErasureStep,
  type ErasureWork,
  Erasures,
  addErased,
  stepAfter
} from "@gatewarden/core/internal"
import { Effect, Option } from "effect"
import { SqlClient } from "effect/sql"
import { eraseClosedHolds, eraseSpender } from "../ledger/eraseSpender.ts"
import { acts } from "../statements/acting.ts"
import { type Replacing, eraseConfiguration, eraseEvents, findObstacles, walkEvents } from "../statements/erasedRows.ts"
import { readPage } from "../statements/readPage.ts"
import { type Columns, fromRow } from "../statements/rows.ts"
import { reading, retrying, writing } from "../statements/statements.ts"

const shown = ["id", "kind", "pseudonym", "status", "in_the_way", "erased", "created_at", "started_at", "finished_at"]

const erasureOf = (columns: Columns): Erasure =>
  fromRow<Erasure>(Object.fromEntries(shown.map((name) => [name, columns[name]])))

interface DueRow extends Omit<DueErasure, "place"> {
  readonly after_at: Date | null
  readonly after_id: string | null
}

const dueOf = ({ after_at, after_id, ...row }: DueRow): DueErasure => ({
  ...row,
  place: after_at === null || after_id === null ? undefined : { created_at: after_at.toISOString(), id: after_id }
})

interface KeptRow extends Pick<Erasure, "pseudonym" | "erased"> {
  readonly step: ErasureStep
}

export const erasures = Effect.map(SqlClient.SqlClient, (sql) => {
  const unfinished = (account_id: string, digest: string) =>
    Effect.map(
      sql`select * from gatewarden_erasure
        where account_id = ${account_id}::uuid and request_digest = ${digest} and finished_at is null`,
      ([row]) => (row === undefined ? undefined : erasureOf(row))
    )

  /**
   * Takes the values from what this transaction recorded of the step: the names would stay in the log of changes. Nobody has seen the rows, and
   * they have no seal yet. Answers what was changed.
   */
  const forgetValues = (account_id: string) =>
    Effect.map(
      sql<Pick<Change, "noun" | "id" | "workspace_id">>`
        update gatewarden_changes set before = null, after = null
        where xact = pg_current_xact_id() and account_id = ${account_id}::uuid and noun <> 'erasure'
          and coalesce(acting, '') = coalesce(current_setting('gatewarden.acting', true), '')
        returning noun, id, workspace_id`,
      (rows) => rows.map((row): Change => ({ account_id, ...row }))
    )

  const change = Effect.fnUntraced(function* (work: Exclude<ErasureWork, { does: "wait" }>, replacing: Replacing) {
    if (work.does === "events")
      return {
        counts: yield* eraseEvents(sql, replacing, work.walked.events),
        isDone: work.walked.last === undefined
      }
    const { account_id, person, pseudonym } = replacing
    const counts = yield* eraseConfiguration(sql, replacing, work.atMost)
    const holds =
      person.kind === "user" ? yield* eraseClosedHolds(sql, account_id, person.name, pseudonym, work.atMost) : 0
    // What is left to do is seen by the next batch: the lock of the ledger is not taken behind rows, nor held while they are changed.
    if (holds > 0 || Object.values(counts).some((count) => count > 0)) return { counts, isDone: false }
    const ledger = person.kind === "user" ? yield* eraseSpender(sql, account_id, person.name, pseudonym) : {}
    if (ledger !== undefined)
      yield* sql`select gatewarden_erase_usage_cells(${account_id}::uuid, ${person.kind}, ${person.name}::text, ${pseudonym}::text)`
    return { counts: ledger ?? {}, isDone: ledger !== undefined }
  })

  const advance = Effect.fnUntraced(function* (account_id: string, id: string, work: ErasureWork, now: string) {
    const own = sql`account_id = ${account_id}::uuid and id = ${id}::uuid and finished_at is null`
    const [row] = yield* sql<KeptRow>`select step, pseudonym, erased from gatewarden_erasure where ${own} for update`
    if (row === undefined) return []
    const started = sql`started_at = coalesce(started_at, ${now}::timestamptz)`
    if (work.does === "wait") {
      yield* sql`
        ${acts.update} gatewarden_erasure set status = 'waiting', in_the_way = ${JSON.stringify(work.in_the_way)}::jsonb,
          due_at = ${work.until}::timestamptz, ${started} where ${own}`
      return []
    }
    const { counts, isDone } = yield* change(work, { account_id, person: work.person, pseudonym: row.pseudonym })
    const changed = yield* forgetValues(account_id)
    const erased = sql`in_the_way = '[]', erased = ${JSON.stringify(addErased(row.erased, counts))}::jsonb, ${started}`
    const step = isDone ? stepAfter(row.step) : row.step
    if (step === undefined)
      yield* sql`
        ${acts.update} gatewarden_erasure set status = 'succeeded', finished_at = ${now}::timestamptz, sealed_request = null,
          request_digest = null, ${erased} where ${own}`
    else {
      const place = work.does === "events" && !isDone ? work.walked.last : undefined
      yield* sql`
        ${acts.update} gatewarden_erasure set status = 'running', step = ${step}, after_at = ${place?.created_at ?? null}::timestamptz,
          after_id = ${place?.id ?? null}::text, ${erased} where ${own}`
    }
    return changed
  })

  const dueBehind = (after: string | null, now: string) => sql<DueRow>`
    select id, kind, pseudonym, account_id, step, after_at, after_id, sealed_request from gatewarden_erasure
    where finished_at is null and due_at <= ${now}::timestamptz ${after === null ? sql`` : sql`and account_id > ${after}::uuid`}
    order by account_id, due_at, created_at, id limit 1 for update skip locked`

  return Erasures.of({
    start: (account_id, { id, kind, pseudonym, created_at, sealed_request, request_digest }, most) =>
      Effect.gen(function* () {
        const before = yield* unfinished(account_id, request_digest)
        if (before !== undefined) return before
        const [open] = yield* sql<{ count: number }>`
          select count(*)::int as count from gatewarden_erasure where account_id = ${account_id}::uuid and finished_at is null`
        if ((open?.count ?? 0) >= most) return "full" as const
        const [row] = yield* sql`
          ${acts.insert} into gatewarden_erasure
            (id, account_id, kind, pseudonym, status, step, sealed_request, request_digest, due_at, created_at)
          values (${id}::uuid, ${account_id}::uuid, ${kind}, ${pseudonym}, 'queued', 'usage', ${sealed_request}, ${request_digest},
            ${created_at}::timestamptz, ${created_at}::timestamptz)
          on conflict (account_id, request_digest) where finished_at is null do nothing returning *`
        if (row !== undefined) return erasureOf(row)
        // Another request was quicker.
        return (yield* unfinished(account_id, request_digest)) ?? (yield* Effect.die(new Error("an erasure has gone")))
      }).pipe(sql.withTransaction, retrying, writing),
    find: (account_id, id) =>
      reading(
        Effect.map(
          sql`select * from gatewarden_erasure where account_id = ${account_id}::uuid and id = ${id}::uuid`,
          ([row]) => Option.map(Option.fromUndefinedOr(row), erasureOf)
        )
      ),
    list: (account_id, page) =>
      reading(
        readPage(
          sql,
          {
            table: "gatewarden_erasure",
            id: "id",
            where: sql`account_id = ${account_id}`,
            kept: { account_id, kind: "erasure", owner: undefined }
          },
          page,
          erasureOf
        )
      ),
    due: (now, after) =>
      Effect.gen(function* () {
        const [row] = yield* dueBehind(after, now)
        const [turned] = row === undefined && after !== null ? yield* dueBehind(null, now) : [row]
        return Option.map(Option.fromUndefinedOr(turned), dueOf)
      }).pipe(writing),
    inTheWay: (account_id, person, now) => reading(findObstacles(sql, account_id, person, now)),
    walk: (account_id, person, place, examined) => reading(walkEvents(sql, account_id, person, place, examined)),
    advance: (account_id, id, work, now) =>
      advance(account_id, id, work, now).pipe(sql.withTransaction, retrying, writing)
  })
})
