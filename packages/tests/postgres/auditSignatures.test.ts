/** The signed end of a chain: who can write to the database and computes hashes as Gatewarden does is found all the same. */
import {
  AuditLog,
  SealedSecrets,
  createAccount,
  contextOfSignature,
  sealChanges,
  signEnds,
  verifyAuditLog
} from "@gatewarden/core/internal"
import { afterAll, assert, describe, it } from "@effect/vitest"
import { Effect, Layer, ManagedRuntime, Redacted, References } from "effect"
import { SqlClient } from "effect/sql"
import { inject } from "vitest"
import { vault } from "@gatewarden/conformance/internal/erasure/erasing"
import { createMigratedDatabase, migratedSnapshot } from "@gatewarden/testkit/stores/migratedDatabases"
import { layerPostgres } from "../../postgres/src/connection/layerPostgres.ts"
import { layerPgliteClients, layerStore } from "../../postgres/src/store/layerStore.ts"
import { digestSql, linkSql } from "../../postgres/src/functions/audit.ts"

const engines = {
  PostgreSQL: Layer.unwrap(
    Effect.map(
      Effect.promise(() => createMigratedDatabase(inject("postgres"))),
      (url) => layerPostgres({ url: Redacted.make(url) })
    )
  ),
  PGlite: layerPgliteClients({ dataDir: undefined, snapshot: await migratedSnapshot(inject("pgliteSnapshot")) })
}

const record = Effect.fnUntraced(function* (account_id: string, ids: readonly string[]) {
  const sql = yield* SqlClient.SqlClient
  for (const id of ids)
    yield* sql`insert into gatewarden_changes (account_id, noun, action, id) values (${account_id}, 'guardrail', 'create', ${id})`
})

const count = 5

/** An account with five signed changes. */
const signedLog = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const made = yield* createAccount(`account ${crypto.randomUUID()}`)
  if (made === undefined) return yield* Effect.die(new Error("account exists"))
  const owner = made.account.id
  yield* sql`delete from gatewarden_changes where account_id = ${owner}`
  yield* record(owner, ["1", "2", "3", "4", "5"])
  assert.deepInclude(yield* verifyAuditLog(owner), {
    verified: count,
    removed: 0,
    signed: { position: count, since: count },
    is_signature_unreadable: false,
    broken: []
  })
  return owner
})

const changeAt = (owner: string, position: number) =>
  `(xact, seq) = (select xact, seq from gatewarden_audit_seal where owner = '${owner}' and position = ${position})`

/** The end of the chain as it would be if it ended at `position`. */
const endAt = (owner: string, position: number): string =>
  `update gatewarden_audit_chain set (position, hash) = (
     select position, hash from gatewarden_audit_seal where owner = '${owner}' and position = ${position}
   ) where owner = '${owner}'`

const cut = (owner: string): readonly string[] => [
  `delete from gatewarden_changes where ${changeAt(owner, count)}`,
  `delete from gatewarden_audit_seal where owner = '${owner}' and position = ${count}`,
  endAt(owner, count - 1)
]

/** What is done to the database, and what is found. */
const forgeries: Readonly<
  Record<string, { readonly sql: (owner: string) => readonly string[]; readonly finds: object }>
> = {
  "the end cut off": { sql: cut, finds: { broken: [{ position: count, problem: "missing" }] } },
  "the last change altered": {
    sql: (owner) => [
      `update gatewarden_changes set id = 'x' where ${changeAt(owner, count)}`,
      `update gatewarden_audit_seal s set hash = ${linkSql(
        `(select hash from gatewarden_audit_seal where owner = '${owner}' and position = ${count - 1})`,
        "s.position",
        digestSql("s", "c")
      )} from gatewarden_changes c where c.xact = s.xact and c.seq = s.seq and s.owner = '${owner}' and s.position = ${count}`,
      endAt(owner, count)
    ],
    finds: { broken: [{ position: count, problem: "edited" }] }
  },
  "everything removed": {
    sql: (owner) => [
      `delete from gatewarden_changes where account_id = '${owner}'`,
      `delete from gatewarden_audit_seal where owner = '${owner}'`,
      `delete from gatewarden_audit_chain where owner = '${owner}'`
    ],
    finds: { broken: [{ position: 1, problem: "missing" }] }
  },
  "a signature of something else": {
    sql: (owner) => [`update gatewarden_audit_signature set sealed = '\\x01' where account_id = '${owner}'`],
    finds: { signed: null, is_signature_unreadable: true }
  },
  "the end cut off with its signature": {
    sql: (owner) => [
      ...cut(owner),
      `delete from gatewarden_audit_signature where account_id = '${owner}'`,
      `update gatewarden_audit_chain set is_signed = false where owner = '${owner}'`
    ],
    finds: { signed: { position: count - 1, since: count - 1 } }
  }
}

for (const [engine, clients] of Object.entries(engines))
  describe(`the signed end of an audit log: ${engine}`, () => {
    const runtime = ManagedRuntime.make(
      Layer.merge(layerStore, vault()).pipe(
        Layer.provideMerge(clients),
        Layer.provideMerge(Layer.succeed(References.MinimumLogLevel, "None"))
      )
    )
    afterAll(() => runtime.dispose())

    for (const [what, { sql: statements, finds }] of Object.entries(forgeries))
      it(`finds ${what}`, () =>
        runtime.runPromise(
          Effect.gen(function* () {
            const sql = yield* SqlClient.SqlClient
            const owner = yield* signedLog
            for (const text of statements(owner)) yield* sql.unsafe(text)
            assert.deepInclude(yield* verifyAuditLog(owner), finds)
          })
        ))

    it("signs nothing that does not follow what it signed", () =>
      runtime.runPromise(
        Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          const owner = yield* signedLog
          for (const text of cut(owner)) yield* sql.unsafe(text)
          yield* record(owner, ["5 once more", "6"])
          const { broken, signed, unsigned } = yield* verifyAuditLog(owner)
          assert.deepEqual(broken, [{ position: count, problem: "edited" }])
          assert.deepEqual(signed, { position: count, since: count })
          assert.strictEqual(unsigned, 1)
          assert.deepEqual(yield* (yield* AuditLog).unsigned(owner, 10), [], "it is not tried each second")
        })
      ))

    it("tells that it is kept from signing", () =>
      runtime.runPromise(
        Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          const owner = yield* signedLog
          yield* record(owner, ["6", "7"])
          yield* sealChanges(owner)
          yield* sql.unsafe(`update gatewarden_audit_chain set is_signed = true where owner = '${owner}'`)
          assert.deepInclude(yield* verifyAuditLog(owner), { broken: [], unsigned: 2 })
        })
      ))

    it("goes on where others sign meanwhile, where the oldest are gone, and with another key", () =>
      runtime.runPromise(
        Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          const log = yield* AuditLog
          const owner = yield* signedLog
          yield* record(owner, ["6"])
          yield* sealChanges(owner)
          const [late] = yield* log.unsigned(owner, 10)
          yield* record(owner, ["7"])
          yield* sealChanges(owner)
          yield* signEnds(owner)
          const signature = yield* log.signature(owner)
          if (late === undefined || signature === null) return assert.fail("nothing is signed")
          const outdated = { ...late, replaces: late.signature, signature: Uint8Array.of(1), follows: undefined }
          yield* log.sign([outdated])
          assert.deepEqual(yield* log.signature(owner), signature)
          yield* sql.unsafe(
            `update gatewarden_audit_chain set (pruned_position, pruned_hash) = (
               select position, hash from gatewarden_audit_seal where owner = '${owner}' and position = 7
             ) where owner = '${owner}'`
          )
          yield* sql.unsafe(`delete from gatewarden_audit_seal where owner = '${owner}'`)
          yield* sql.unsafe(`delete from gatewarden_changes where account_id = '${owner}'`)
          yield* record(owner, ["8"])
          assert.deepInclude(yield* verifyAuditLog(owner), {
            verified: 1,
            removed: 7,
            signed: { position: 8, since: count },
            broken: []
          })
          assert.deepInclude(yield* Effect.provide(verifyAuditLog(owner), vault(8)), { is_signature_unreadable: true })
          const kept = yield* (yield* SealedSecrets).page("audit_signature.sealed", { limit: 10_000 })
          assert.deepInclude(
            kept.map(({ context }) => context),
            contextOfSignature(owner),
            "a rotation finds it"
          )
        })
      ))
  })
