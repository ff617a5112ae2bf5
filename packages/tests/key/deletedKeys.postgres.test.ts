/** What is kept of deleted keys is bounded, however many an account deletes: 90 days, and the last 10,000 of each account. */
import { assert, it } from "@effect/vitest"
import { layerPostgresStore } from "@gatewarden/postgres/effect"
import { Effect, Redacted } from "effect"
import { randomUUID } from "node:crypto"
import { inject } from "vitest"
import { createMigratedDatabase } from "@gatewarden/testkit/stores/migratedDatabases"
import { execute } from "@gatewarden/testkit/stores/postgresServer"

it("forgets the oldest deleted keys with each deletion", async () => {
  const url = await createMigratedDatabase(inject("postgres"))
  await Effect.runPromise(
    Effect.scoped(Effect.provide(Effect.void, layerPostgresStore({ url: Redacted.make(url), notifications: false })))
  )
  const [account, other] = [randomUUID(), randomUUID()]
  const key = (hash: string) =>
    `insert into gatewarden_api_key (hash, account_id, kind, name, label, disabled, include_byok_in_limit, created_at)
     values ('${hash}', '${account}', 'management', '', '', false, false, now())`
  await execute(
    url,
    `insert into gatewarden_account (id, name, default_workspace_id, created_at) values ('${account}', 'one', gen_random_uuid(), now())`,
    `insert into gatewarden_deleted_key (hash, account_id, deleted_at) select 'full ' || lpad(n::text, 5, '0'), '${account}', now() - interval '1 day' + n * interval '1 second'
     from generate_series(1, 10000) as n`,
    `insert into gatewarden_deleted_key (hash, account_id, deleted_at) select 'old ' || n, '${other}', now() - interval '91 days' from generate_series(1, 5) as n`,
    `insert into gatewarden_deleted_key (hash, account_id, deleted_at) values ('young', '${other}', now() - interval '89 days')`,
    key("a"),
    key("b"),
    "delete from gatewarden_api_key where hash in ('a', 'b')"
  )
  const kept = (condition: string) =>
    execute(url, `select hash from gatewarden_deleted_key where ${condition} order by deleted_at limit 3`).then(
      (rows) => rows.map(({ hash }) => hash)
    )
  assert.deepEqual(await kept(`account_id = '${other}'`), ["young"])
  assert.deepEqual(await kept(`account_id = '${account}'`), ["full 00003", "full 00004", "full 00005"])
  assert.sameMembers(await kept("hash in ('a', 'b')"), ["a", "b"])
})
