import { Effect, Option } from "effect"
import { type Erasure, Erasures, type Person, addErased, stepAfter } from "../ports/erasures.ts"
import { obstaclesOf } from "../erasure/erasure.ts"
import { isLive } from "../access/liveKeys.ts"
import type { Change } from "../ports/changeLog.ts"
import type { UsageEvent } from "../ports/usage.ts"
import { compareText } from "../value/text.ts"
import { eraseConfiguration, eraseEvents, eraseLedger, type ErasureRow } from "./tables/erasureRows.ts"
import { turnOf } from "../value/fairQueue.ts"
import { onSweep, sweepMap } from "./tables/sweeps.ts"
import { type LedgerOfSpenders, type Tables, byCreation, pageOf } from "./tables/Tables.ts"

const printed = ({
  id,
  kind,
  pseudonym,
  status,
  in_the_way,
  erased,
  created_at,
  started_at,
  finished_at
}: ErasureRow): Erasure => ({
  ...{ id, kind, pseudonym, status, in_the_way, erased },
  ...{ created_at, started_at, finished_at }
})

const count = <T>(rows: readonly T[], counts: (row: T) => boolean): number => rows.filter(counts).length

const obstaclesTo = (tables: Tables, account_id: string, { kind, name }: Person, now: string) => {
  const keys = tables.apiKeys.ofAccount(account_id).filter((key) => isLive(key, now))
  const openHolds = (isCounted: Parameters<LedgerOfSpenders["openHolds"]>[1]) =>
    tables.ledgerOfSpenders.openHolds(account_id, isCounted, Date.parse(now))
  if (kind === "external_user") {
    const ofKey = (hash: string | null) =>
      (tables.apiKeys.get(hash ?? "") ?? tables.deletedKeys.get(hash ?? ""))?.external_user === name
    return obstaclesOf({
      live_key: count(keys, (key) => key.external_user === name),
      open_hold: openHolds(({ key }) => ofKey(key))
    })
  }
  return obstaclesOf({
    live_key: count(keys, (key) => key.user_id === name || key.creator_user_id === name),
    membership: count(tables.workspaceMembers.ofAccount(account_id), ({ user_id }) => user_id === name),
    directory_user: count(
      tables.directoryUsers.ofAccount(account_id),
      ({ user_id, active }) => user_id === name && active
    ),
    authorization_code: count(
      tables.codeGrants.ofAccount(account_id),
      ({ user_id, spent_at, expires_at }) => user_id === name && spent_at === null && expires_at > now
    ),
    federation_policy: count(
      tables.federationPolicies.ofAccount(account_id),
      ({ user_id, disabled }) => user_id === name && !disabled
    ),
    open_hold: openHolds(({ user }, member) => user === name || member === name)
  })
}

type Place = Pick<UsageEvent, "created_at" | "id">

const inOrder = (a: Place, b: Place): number => compareText(a.created_at, b.created_at) || compareText(a.id, b.id)

export const erasures = (tables: Tables) => {
  onSweep(
    tables.sweeps,
    "changes",
    sweepMap(tables.erasures, ({ finished_at }, before) => finished_at !== null && Date.parse(finished_at) < before)
  )
  const record = (before: ErasureRow | undefined, row: ErasureRow): void => {
    const change: Change = { account_id: row.account_id, noun: "erasure", id: row.id, workspace_id: null }
    tables.changes.record(change, before === undefined ? undefined : { ...before }, { ...row })
  }

  return Erasures.of({
    start: (account_id, draft, most) =>
      Effect.sync(() => {
        const open = [...tables.erasures.values()].filter(
          (row) => row.account_id === account_id && row.finished_at === null
        )
        const same = open.find(({ request_digest }) => request_digest === draft.request_digest)
        if (same !== undefined) return printed(same)
        if (open.length >= most) return "full"
        const row: ErasureRow = {
          ...draft,
          account_id,
          status: "queued",
          step: "usage",
          place: undefined,
          in_the_way: [],
          erased: {},
          due_at: draft.created_at,
          started_at: null,
          finished_at: null
        }
        tables.erasures.set(row.id, row)
        record(undefined, row)
        return printed(row)
      }),
    find: (account_id, id) =>
      Effect.sync(() => {
        const row = tables.erasures.get(id)
        return row?.account_id === account_id ? Option.some(printed(row)) : Option.none()
      }),
    list: (account_id, page) =>
      Effect.sync(() =>
        pageOf([...tables.erasures.values()].filter((row) => row.account_id === account_id).map(printed), page)
      ),
    due: (now, after) =>
      Effect.sync(() => {
        const due = [...tables.erasures.values()].filter(
          ({ finished_at, due_at }) => finished_at === null && due_at <= now
        )
        const account = turnOf(due, after)
        const [row] = due
          .filter(({ account_id }) => account_id === account)
          .sort((a, b) => compareText(a.due_at, b.due_at) || byCreation(a, b))
        if (row === undefined || row.sealed_request === null) return Option.none()
        const { id, kind, pseudonym, account_id, step, place, sealed_request } = row
        return Option.some({ id, kind, pseudonym, account_id, step, place, sealed_request })
      }),
    inTheWay: (account_id, person, now) => Effect.sync(() => obstaclesTo(tables, account_id, person, now)),
    walk: (account_id, { kind, name }, place, examined) =>
      Effect.sync(() => {
        const behind = [...(tables.usageEvents.get(account_id)?.values() ?? [])]
          .filter((event) => place === undefined || inOrder(event, place) > 0)
          .sort(inOrder)
        const walked = behind.slice(0, examined)
        const last = behind.length > examined ? walked.at(-1) : undefined
        return {
          events: walked
            .filter((event) => (kind === "user" ? event.user_id : event.external_user) === name)
            .map(({ id, session_id }) => ({ id, session_id })),
          last: last === undefined ? undefined : { created_at: last.created_at, id: last.id }
        }
      }),
    advance: (account_id, id, work, now) =>
      Effect.sync((): readonly Change[] => {
        const row = tables.erasures.get(id)
        if (row?.account_id !== account_id || row.finished_at !== null) return []
        const started = { ...row, started_at: row.started_at ?? now, in_the_way: [] }
        if (work.does === "wait") {
          const { in_the_way, until: due_at } = work
          tables.erasures.set(id, { ...started, status: "waiting", in_the_way, due_at })
          return []
        }
        const replacing = { account_id, person: work.person, pseudonym: row.pseudonym }
        const counts: Record<string, number> = {}
        const first = tables.changes.rows.length
        let isDone = true
        if (work.does === "events") {
          eraseEvents(tables, replacing, work.walked.events, counts)
          isDone = work.walked.last === undefined
        } else {
          eraseLedger(tables, replacing, counts)
          tables.changes.without("values", () => {
            isDone = eraseConfiguration(tables, replacing, work.atMost, counts)
          })
        }
        const changed = tables.changes.rows.slice(first).map(({ change }) => change)
        const running = { ...started, status: "running" as const, erased: addErased(row.erased, counts) }
        const step = isDone ? stepAfter(row.step) : row.step
        if (step !== undefined) {
          const place = work.does === "events" && !isDone ? work.walked.last : undefined
          tables.erasures.set(id, { ...running, step, place })
          return changed
        }
        const ended = { ...running, status: "succeeded" as const, finished_at: now }
        tables.erasures.set(id, { ...ended, sealed_request: null, request_digest: null })
        record(row, ended)
        return changed
      })
  })
}
