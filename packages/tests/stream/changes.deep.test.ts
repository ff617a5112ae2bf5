/**
 * Changes that are made on one server while another goes on deciding from what it remembers: they count there within two seconds.
 *
 * Rule: access#changes-take-effect. Source: docs/decisions/0004-changes.md. `GATEWARDEN_CHANGE_TRIALS` says how often each kind of
 * change is made.
 */
import { afterEach, assert, beforeEach, describe, it } from "@effect/vitest"
import { setTimeout as pause } from "node:timers/promises"
import { inject } from "vitest"
import { callServer } from "@gatewarden/testkit/server/callServer"
import { eventually } from "@gatewarden/testkit/server/eventually"
import { rounds } from "@gatewarden/testkit/server/rounds"
import { serverFleet } from "@gatewarden/testkit/server/serverFleet"
import { createMigratedDatabase } from "@gatewarden/testkit/stores/migratedDatabases"
import { execute } from "@gatewarden/testkit/stores/postgresServer"

const { start } = serverFleet()

const promisedMillis = 2_000
const trials = rounds("GATEWARDEN_CHANGE_TRIALS", 6)
/** How servers hear of each other's changes: the promise is the same for all. */
const channels: Readonly<Record<string, { readonly environment?: Record<string, string>; readonly isCut?: true }>> = {
  "with notifications": {},
  "with the sessions that listen for them ended all the time": { isCut: true },
  "without notifications": { environment: { GATEWARDEN_NOTIFICATIONS: "0" } }
}

/** Trials of one kind that run at the same time. */
const lanes = 4

const endpoint = (provider: string) => ({
  name: provider,
  provider_name: provider,
  provider_slug: provider,
  tag: provider,
  context_length: 1_000,
  pricing: { prompt: "0", completion: "0" }
})

const catalog = (providers: readonly string[]) => ({
  models: [
    {
      id: "acme/a",
      name: "a",
      created: 0,
      architecture: { input_modalities: ["text"], output_modalities: ["text"] },
      endpoints: providers.map(endpoint)
    }
  ]
})

interface Trial {
  /** The server where changes are made. */
  readonly url: string
  readonly database: string
  readonly key: string
  readonly hash: string
  readonly strict: string
}

interface Kind {
  readonly prepare?: (trial: Trial) => Promise<unknown>
  readonly change: (trial: Trial) => Promise<unknown>
}

const done = async (answer: Promise<{ readonly status: number }>): Promise<void> =>
  assert.strictEqual((await answer).status, 200)

const assign = ({ url, strict, hash }: Trial) =>
  done(callServer(url, "POST", `/guardrails/${strict}/assignments/keys`, { body: { key_hashes: [hash] } }))

const restrict = ({ url, strict }: Trial, allowed_models: readonly string[]) =>
  done(callServer(url, "PATCH", `/guardrails/${strict}`, { body: { allowed_models } }))

const kinds: Readonly<Record<string, Kind>> = {
  "a guardrail is put on its key": { change: assign },
  "its guardrail is tightened": {
    prepare: async (trial) => {
      await restrict(trial, ["acme/a"])
      await assign(trial)
    },
    change: (trial) => restrict(trial, ["acme/b"])
  },
  "its key is revoked": {
    change: ({ url, hash }) => done(callServer(url, "DELETE", `/keys/${hash}`))
  },
  // Which nobody announces.
  "its key is revoked by hand": {
    change: ({ database, hash }) => execute(database, `delete from gatewarden_api_key where hash = '${hash}'`)
  }
}

let isOver = false
beforeEach(() => void (isOver = false))
afterEach(() => void (isOver = true))

/** Ends them again and again, as soon as they are there. */
const endListeners = (database: string) => {
  const stopping = new AbortController()
  let ended = 0
  const ending = (async () => {
    for (;;) {
      if (isOver || stopping.signal.aborted) return ended
      const found = await execute(
        database,
        `select pg_terminate_backend(pid) from pg_stat_activity
          where datname = current_database() and application_name = 'gatewarden notifications'`
      )
      ended += found.length
      await pause(10)
    }
  })()
  return {
    stop: () => {
      stopping.abort()
      return ending
    }
  }
}

describe("a change on one server", () => {
  it.each(Object.entries(channels))(
    `counts on another within ${promisedMillis} ms, ${trials} times for each kind, %s`,
    async (label, channel) => {
      const database = await createMigratedDatabase(inject("postgres"))
      const environment = {
        DATABASE_URL: database,
        GATEWARDEN_KEYRING: `k1:${Buffer.alloc(32, 7).toString("base64")}`,
        ...channel.environment
      }
      const [one, other] = await Promise.all([start({ environment }), start({ environment })])
      await done(callServer(one.url, "PUT", "/gateway/catalog", { body: catalog(["openai"]) }))
      const cutting = channel.isCut === true ? endListeners(database) : undefined

      const isAdmitted = async (hash: string): Promise<boolean> => {
        const { status, json } = await callServer(other.url, "POST", "/gateway/admissions", {
          body: { api_key_hash: hash, model: "acme/a" }
        })
        assert.strictEqual(status, 200)
        return json.data.decision === "allow"
      }
      const isLetIn = async (key: string): Promise<boolean> =>
        (await callServer(other.url, "GET", "/key", { key })).status === 200

      /** How long after the change a request was sent that it did not count for. */
      const attempt = async (name: string, { prepare, change }: Kind): Promise<number> => {
        const made = await callServer(one.url, "POST", "/keys", { body: { name } })
        const rules = await callServer(one.url, "POST", "/guardrails", { body: { name, allowed_models: ["acme/b"] } })
        const [key, hash, strict]: readonly string[] = [made.json.key, made.json.data.hash, rules.json.data.id]
        const trial: Trial = { url: one.url, database, key: key ?? "", hash: hash ?? "", strict: strict ?? "" }
        await prepare?.(trial)
        const passes = name.includes("revoked")
          ? async () => (await isAdmitted(trial.hash)) || (await isLetIn(trial.key))
          : () => isAdmitted(trial.hash)
        await eventually("what is allowed", async () => ((await isAdmitted(trial.hash)) ? true : undefined))
        let [changed, last] = [Number.POSITIVE_INFINITY, 0]
        const changing = change(trial).then(() => (changed = performance.now()))
        for (;;) {
          const sent = performance.now()
          if (isOver || !(await passes())) break
          last = sent
        }
        await changing
        assert.isFalse(await passes())
        return Math.max(0, last - changed)
      }

      for (const [name, kind] of Object.entries(kinds)) {
        const late: number[] = []
        let left = trials
        await Promise.all(
          Array.from({ length: lanes }, async () => {
            while (left-- > 0) late.push(await attempt(name, kind))
          })
        )
        late.sort((a, b) => a - b)
        const [middle = 0, worst = 0] = [late[late.length >> 1], late.at(-1)]
        console.info(
          `${name}, ${label}: ${late.length} times, half within ${Math.round(middle)} ms, all within ${Math.round(worst)} ms`
        )
        assert.lengthOf(late, trials)
        assert.isAtMost(worst, promisedMillis, name)
      }

      const { json } = await callServer(one.url, "POST", "/keys", { body: { name: "catalog" } })
      await done(callServer(one.url, "PUT", "/gateway/catalog", { body: catalog([]) }))
      const changed = performance.now()
      let last = changed
      await eventually("the catalog", async () => {
        const sent = performance.now()
        if (!(await isAdmitted(json.data.hash))) return true
        last = sent
        return undefined
      })
      assert.isAtMost(last - changed, promisedMillis)
      if (cutting !== undefined) assert.isAbove(await cutting.stop(), 0)
    },
    600_000
  )
})
