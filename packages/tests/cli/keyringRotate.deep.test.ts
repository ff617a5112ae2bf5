/** The guide "rotate the keyring", with processes that are restarted too late. Docs: docs/operating/encryption-keys.md */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { copyFile, readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { sampleCatalog } from "../../node/src/server/sampleCatalog.ts"
import { inject } from "vitest"
import { managementKey } from "@gatewarden/testkit/server/serverProcess"
import { createMigratedDatabase } from "@gatewarden/testkit/stores/migratedDatabases"
import { commandHere, server, temporaryDirectory } from "./gatewarden.ts"

const keyOf = (id: string, byte: number): string => `${id}:${Buffer.alloc(32, byte).toString("base64")}`
const [k1, k2] = [keyOf("k1", 1), keyOf("k2", 2)]

const headers = (key: string) => ({ authorization: `Bearer ${key}`, "content-type": "application/json" })

const createCredential = async (url: string, key: string, name: string): Promise<void> => {
  const body = JSON.stringify({ name, key: `sk-${"x".repeat(40)}`, provider: "openai" })
  const { status } = await fetch(`${url}/byok`, { method: "POST", headers: headers(key), body })
  assert.strictEqual(status, 200)
}

interface Summary {
  readonly behind?: number
  readonly keep?: readonly string[]
  readonly keep_until?: string
}

interface Posted {
  readonly status: number
  readonly key?: string
  readonly data?: { readonly id?: string }
  readonly error?: { readonly metadata: { readonly reason: string } }
}

const day = 86_400_000

const rotate = (environment: Readonly<Record<string, string>>) =>
  Effect.promise(async () => {
    const { code, stdout, stderr } = await commandHere(["keyring", "rotate", "--json"], environment)
    return { code, stderr, summary: (stdout === "" ? {} : JSON.parse(stdout)) as Summary }
  })

describe("gatewarden keyring rotate", () => {
  it.live("names each server on PostgreSQL whose first key is another, and is done once none is left", () =>
    Effect.gen(function* () {
      const DATABASE_URL = yield* Effect.promise(() => createMigratedDatabase(inject("postgres")))
      const on = (GATEWARDEN_KEYRING: string) => ({ DATABASE_URL, GATEWARDEN_KEYRING })
      const former = yield* server({ environment: on(k1) })
      const learning = yield* server({ environment: on(`${k1},${k2}`) })
      const current = yield* server({ environment: on(`${k2},${k1}`) })
      yield* Effect.promise(() => createCredential(former.url, managementKey, "one"))

      const refused = yield* rotate(on(`${k2},${k1}`))
      assert.strictEqual(refused.code, 75, refused.stderr)
      assert.match(refused.stderr, /process \d+ on \S+ \(instance \S+, started 20\S+Z\) has the keys k1\n/)
      assert.match(refused.stderr, /process \d+ on \S+ \(instance \S+, started 20\S+Z\) has the keys k1, k2\n/)
      assert.notInclude(refused.stderr, "keys k2")

      yield* Effect.promise(() => former.stop())
      const again = yield* rotate(on(`${k2},${k1}`))
      assert.strictEqual(again.code, 75, again.stderr)
      assert.notMatch(again.stderr, /has the keys k1\n/)

      yield* Effect.promise(() => learning.stop())
      const done = yield* rotate(on(`${k2},${k1}`))
      assert.strictEqual(done.code, 0, done.stderr)
      assert.strictEqual(done.summary.behind, 0)
      assert.deepEqual(done.summary.keep, ["k1"])
      assert.closeTo(Date.parse(done.summary.keep_until ?? ""), Date.now() + 35 * day, day)
      const told = yield* Effect.promise(() =>
        commandHere(["keyring", "rotate"], { ...on(`${k2},${k1}`), GATEWARDEN_KEEP_HOLDS: "10d" })
      )
      const [date] = /(?<=Keep k1 in .*at the latest until )[\d-]+(?=\..*404 unknown_admission)/.exec(told.stdout) ?? []
      assert.closeTo(Date.parse(date ?? told.stdout), Date.now() + 10 * day, day)
      yield* Effect.promise(() => current.stop())

      const last = yield* server({ environment: on(k2) })
      yield* Effect.promise(() => createCredential(last.url, managementKey, "two"))
      const alone = yield* rotate(on(k2))
      assert.strictEqual(alone.code, 0)
      assert.isUndefined(alone.summary.keep)
    })
  )

  it.live("settles an admission from before the change with the former key, and not without it", () =>
    Effect.gen(function* () {
      const DATABASE_URL = yield* Effect.promise(() => createMigratedDatabase(inject("postgres")))
      const on = (GATEWARDEN_KEYRING: string) =>
        server({ environment: { DATABASE_URL, GATEWARDEN_KEYRING, GATEWARDEN_CATALOG: sampleCatalog } })
      const post = async (url: string, path: string, body: object): Promise<Posted> => {
        const sent = { method: "POST", headers: headers(managementKey), body: JSON.stringify(body) }
        const answer = await fetch(url + path, sent)
        return { status: answer.status, ...((await answer.json()) as object) }
      }
      const model = "openai/gpt-4o-mini"
      const settle = (url: string, id: string | undefined) => {
        const event = { created_at: new Date().toISOString(), model, provider: "openai", cost_usd: "0" }
        return post(url, `/gateway/admissions/${id}/settlement`, event)
      }
      const former = yield* on(k1)
      const ids = yield* Effect.promise(async () => {
        const { key } = await post(former.url, "/keys", { name: "app", limit: 1 })
        const admit = async () => (await post(former.url, "/gateway/admissions", { api_key: key, model })).data?.id
        return [await admit(), await admit()]
      })
      const both = yield* on(`${k2},${k1}`)
      assert.strictEqual((yield* Effect.promise(() => settle(both.url, ids[0]))).status, 200)
      const alone = yield* on(k2)
      const refused = yield* Effect.promise(() => settle(alone.url, ids[1]))
      assert.strictEqual(refused.status, 404)
      assert.strictEqual(refused.error?.metadata.reason, "unknown_admission")
    })
  )

  it.live("compares the file of the embedded store with the keyring of the server that holds it", () =>
    Effect.gen(function* () {
      const dataDirectory = join(yield* temporaryDirectory, "data")
      const environment = { GATEWARDEN_DATA_DIR: dataDirectory }
      const start = () => server({ dataDirectory, environment: { DATABASE_URL: "" } })
      const first = yield* start()
      const file = join(dataDirectory, "keyring")
      const key = managementKey
      yield* Effect.promise(async () => {
        await createCredential(first.url, key, "one")
        await copyFile(file, `${file}.former`)
        await writeFile(file, `${k2},${(await readFile(file, "utf8")).trim()}\n`)
      })
      const refused = yield* rotate(environment)
      assert.strictEqual(refused.code, 75, refused.stderr)
      assert.match(refused.stderr, /process \d+ on \S+ \(instance \S+, started 20\S+Z\) has the keys k1\n/)

      yield* Effect.promise(() => first.stop())
      const second = yield* start()
      assert.strictEqual((yield* rotate(environment)).code, 0)
      yield* Effect.promise(async () => {
        await second.stop()
        await writeFile(file, `${k2}\n`)
      })
      const third = yield* start()
      yield* Effect.promise(() => createCredential(third.url, key, "two"))
      assert.strictEqual((yield* rotate(environment)).code, 0)
    })
  )
})
