/** Holds a store to naming, in the log of each account, those who acted there, and nobody else. */
import {
  type Acting,
  Acts,
  auditExamined,
  type AuditFilter,
  AuditLog,
  type AuditPage,
  auditPageBytes,
  AuthorizationCodes,
  ByokCredentials,
  type CodeGrant,
  Guardrails,
  type StorePorts,
  unrestricted,
  createAccount,
  sealChanges,
  unscoped,
  verifyAuditLog
} from "@gatewarden/core/internal"
import { assert, describe, it } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import { vault } from "../erasure/erasing.ts"
import { storeUnderTest } from "../stores/storeUnderTest.ts"

const now = "2026-03-04T12:00:00.000Z"
const later = "2026-03-04T13:00:00.000Z"

const account = Effect.gen(function* () {
  const made = yield* createAccount(`account ${crypto.randomUUID()}`)
  if (made === undefined) return yield* Effect.die(new Error("account exists"))
  return { account_id: made.account.id, workspace_id: made.workspace.id }
})
type Place = Effect.Success<typeof account>

const actingOf = (user: string, operation: string): Acting => ({
  actor: { type: "user", id: user },
  operation,
  request_id: `request of ${user}`,
  at: now
})

const as = <A, E, R>(user: string, operation: string, work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.provideService(work, Acts, actingOf(user, operation))

const entriesOf = Effect.fnUntraced(function* (account_id: string) {
  yield* sealChanges(account_id)
  return (yield* (yield* AuditLog).list(account_id, {}, { limit: 100, below: undefined, examined: auditExamined }))
    .entries
})

const grant = ({ account_id, workspace_id }: Place): CodeGrant => ({
  code_hash: crypto.randomUUID().replaceAll("-", "").padEnd(64, "0"),
  account_id,
  workspace_id,
  callback_url: "https://app.example/back",
  callback_origin: "https://app.example",
  challenge_hash: null,
  code_challenge_method: null,
  key_name: "app",
  limit: null,
  limit_reset: null,
  key_expires_at: null,
  user_id: null,
  spawn_agent: null,
  spawn_cloud: null,
  created_at: now
})

const credential = (workspace_id: string) => ({
  id: crypto.randomUUID(),
  workspace_id,
  provider: "openai",
  ...unscoped,
  name: "a",
  label: "...",
  created_at: now
})

export const auditLogSuite = (name: string, makeStore: () => Layer.Layer<StorePorts, unknown>): void => {
  describe(`audit log: ${name}`, () => {
    const run = storeUnderTest(makeStore, Date.parse(later))

    it("names nobody of another account whose request meets what has expired", () =>
      run(
        Effect.gen(function* () {
          const [ours, theirs] = [yield* account, yield* account]
          const codes = yield* AuthorizationCodes
          const expired = grant(ours)
          yield* as("ada", "createAuthorizationCode", codes.insert(expired, 0))
          yield* as("eve", "createAuthorizationCode", codes.insert(grant(theirs), 600_000))
          const told = (yield* entriesOf(ours.account_id)).filter(({ entity }) => entity === expired.code_hash)
          assert.deepStrictEqual(
            told.map(({ action, actor, operation, request_id }) => ({ action, actor, operation, request_id })),
            [
              {
                action: "delete",
                actor: { type: "server", id: null },
                operation: "authorization_codes",
                request_id: null
              },
              {
                action: "create",
                actor: { type: "user", id: "ada" },
                operation: "createAuthorizationCode",
                request_id: "request of ada"
              }
            ]
          )
        })
      ))

    it("records that a secret was replaced, also where nothing else of the row was", () =>
      run(
        Effect.gen(function* () {
          const { account_id, workspace_id } = yield* account
          const credentials = yield* ByokCredentials
          const one = credential(workspace_id)
          yield* credentials.insert(account_id, one, Uint8Array.of(1))
          yield* as(
            "ada",
            "updateByokCredential",
            credentials.update(account_id, one.id, { label: one.label, sealed_key: Uint8Array.of(2) })
          )
          const [told] = yield* entriesOf(account_id)
          assert.deepInclude(told, { entity: one.id, action: "update", operation: "updateByokCredential" })
          assert.deepStrictEqual(told?.after, told?.before)
        })
      ))

    it("signs the end of a chain, and finds a signature that another keyring made", () =>
      run(
        Effect.gen(function* () {
          const { account_id, workspace_id } = yield* account
          const log = yield* AuditLog
          const insert = (name: string) =>
            Effect.flatMap(Guardrails, (guardrails) =>
              guardrails.insert(account_id, {
                ...{ ...unrestricted, workspace_id, name, id: crypto.randomUUID() },
                ...{ created_at: now, updated_at: null }
              })
            )
          const first = yield* verifyAuditLog(account_id)
          const since = first.head?.position ?? 0
          assert.deepInclude(first, { signed: { position: since, since }, removed: 0, broken: [] })
          assert.deepEqual(yield* log.unsigned(account_id, 10), [])
          yield* insert("a")
          const second = yield* verifyAuditLog(account_id)
          assert.deepInclude(second, { signed: { position: second.head?.position ?? 0, since }, broken: [] })
          const others = yield* Effect.provide(verifyAuditLog(account_id), vault(8))
          assert.deepInclude(others, { signed: null, is_signature_unreadable: true })
          const head = first.head ?? assert.fail()
          const behind = { position: (second.head?.position ?? 0) + 1, hash: head.hash }
          assert.deepEqual((yield* log.verify(account_id, behind)).broken, [
            { position: behind.position, problem: "missing" }
          ])
          assert.deepEqual((yield* log.verify(account_id, { ...head, hash: "x" })).broken, [
            { position: head.position, problem: "edited" }
          ])
        }).pipe(Effect.provide(vault()))
      ))

    it("ends a page before it is too large, and shows an entry that is larger than a page alone", () =>
      run(
        Effect.gen(function* () {
          const { account_id, workspace_id } = yield* account
          const guardrails = yield* Guardrails
          const log = yield* AuditLog
          const id = crypto.randomUUID()
          const filters = (bytes: number) => ({
            content_filters: [{ pattern: "é".repeat(bytes / 2), action: "block" as const, label: "a" }]
          })
          const row = { ...unrestricted, workspace_id, created_at: now, updated_at: null }
          // Larger than an update may make it: it was stored before there was a limit.
          yield* guardrails.insert(account_id, { ...row, ...filters(auditPageBytes), id, name: "a" })
          yield* guardrails.update(account_id, id, { name: "b" }, now)
          const third = filters(auditPageBytes / 6)
          for (const name of ["c", "d", "e", "f"]) yield* guardrails.update(account_id, id, { ...third, name }, now)
          yield* sealChanges(account_id)
          const pages: (readonly (string | undefined)[])[] = []
          let below: number | undefined
          for (let more = true; more;) {
            const page = yield* log.list(account_id, { entity: id }, { limit: 4, below, examined: auditExamined })
            pages.push(page.entries.map(({ after }) => after?.["name"] as string))
            more = page.next !== undefined
            below = page.next
          }
          assert.deepStrictEqual(pages, [["f", "e"], ["d"], ["c"], ["b"], ["a"], []])
          const full = yield* log.list(
            account_id,
            { entity: id },
            { limit: 1, below: undefined, examined: auditExamined }
          )
          assert.strictEqual(full.next, full.entries[0]?.position)
        })
      ))

    it("examines no more for a page than it may, whatever matches, and says where the next begins", () =>
      run(
        Effect.gen(function* () {
          const { account_id, workspace_id } = yield* account
          const guardrails = yield* Guardrails
          const log = yield* AuditLog
          const row = { ...unrestricted, workspace_id, created_at: now, updated_at: null }
          const [rare, usual] = [crypto.randomUUID(), crypto.randomUUID()]
          const made = ["rare", ..."12345".split(""), "rare", ..."67".split("")]
          for (const [index, what] of [rare, usual].entries())
            yield* guardrails.insert(account_id, { ...row, id: what, name: String(index) })
          for (const name of made)
            yield* as(
              name,
              "updateGuardrail",
              guardrails.update(
                account_id,
                name === "rare" ? rare : usual,
                { name: `${name} ${crypto.randomUUID()}` },
                now
              )
            )
          yield* sealChanges(account_id)
          const [newest] = (yield* log.list(account_id, {}, { limit: 1, below: undefined, examined: 1 })).entries
          const end = newest?.position ?? 0
          assert.isAbove(end, made.length)
          /** The positions of each page, and where the next begins, of which there is one for every so many changes. */
          const pagesOf = Effect.fnUntraced(function* (filter: AuditFilter, examined: number, limit: number) {
            const pages: { readonly found: readonly number[]; readonly next: number | undefined }[] = []
            let below: number | undefined
            do {
              const { entries, next }: AuditPage = yield* log.list(account_id, filter, { limit, below, examined })
              pages.push({ found: entries.map(({ position }) => position), next })
              below = next
            } while (below !== undefined)
            return pages
          })
          const [first, second] = [end - made.length + 1, end - 2]
          for (const filter of [{ actor: "rare" }, { entity: rare, operation: "updateGuardrail" }]) {
            const pages = yield* pagesOf(filter, 4, 10)
            assert.deepStrictEqual(pages.slice(0, 3), [
              { found: [second], next: end - 3 },
              { found: [], next: end - 7 },
              { found: [first], next: end - 11 > 0 ? end - 11 : undefined }
            ])
          }
          for (const filter of [
            { actor: "nobody" },
            { noun: "destination" },
            { to: "2020-01-01T00:00:00.000Z" }
          ] as const)
            assert.deepStrictEqual(
              yield* pagesOf(filter, 3, 10),
              Array.from({ length: Math.floor(end / 3) + 1 }, (_, page) => {
                const next = end - 3 * page - 2
                return { found: [], next: next > 0 ? next : undefined }
              })
            )
          const every = yield* pagesOf({}, 4, 2)
          assert.deepStrictEqual(
            every.flatMap(({ found }) => found),
            Array.from({ length: end }, (_, index) => end - index)
          )
          assert.deepStrictEqual(every[0], { found: [end, end - 1], next: end - 1 })
        })
      ))

    it("names each who adds a credential while others do", () =>
      run(
        Effect.gen(function* () {
          const { account_id, workspace_id } = yield* account
          const credentials = yield* ByokCredentials
          const added = Array.from({ length: 8 }, () => credential(workspace_id))
          yield* Effect.forEach(
            added,
            (one) =>
              as(`who adds ${one.id}`, "createByokCredential", credentials.insert(account_id, one, Uint8Array.of(1))),
            { concurrency: "unbounded" }
          )
          const told = (yield* entriesOf(account_id)).filter(({ noun }) => noun === "byok_credential")
          assert.sameDeepMembers(
            told.map(({ entity, actor, request_id }) => ({ entity, actor: actor.id, request_id })),
            added.map(({ id }) => ({ entity: id, actor: `who adds ${id}`, request_id: `request of who adds ${id}` }))
          )
        })
      ))
  })
}
