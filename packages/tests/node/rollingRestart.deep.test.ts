/**
 * Servers that are replaced one after the other while the unmodified public client goes on, with its own retries.
 *
 * Rule: operating#shutdown, requests#idempotency-keys. `GATEWARDEN_RESTART_ROUNDS` says how often both servers are replaced.
 */
import { afterEach, assert, describe, it } from "@effect/vitest"
import { OpenRouter } from "@openrouter/sdk"
import { inject } from "vitest"
import { callServer } from "@gatewarden/testkit/server/callServer"
import { eventually } from "@gatewarden/testkit/server/eventually"
import { type LoadBalancer, startLoadBalancer } from "@gatewarden/testkit/server/loadBalancer"
import { rounds } from "@gatewarden/testkit/server/rounds"
import { serverFleet } from "@gatewarden/testkit/server/serverFleet"
import { managementKey, type ServerProcess } from "@gatewarden/testkit/server/serverProcess"
import { createMigratedDatabase } from "@gatewarden/testkit/stores/migratedDatabases"
import { execute } from "@gatewarden/testkit/stores/postgresServer"

const { start } = serverFleet()
const replacements = rounds("GATEWARDEN_RESTART_ROUNDS", 1)
const workers = 8

let balancer: LoadBalancer | undefined
afterEach(() => balancer?.close())

describe("two servers that are replaced under load", () => {
  it(`${replacements} times each: no call fails, nothing is made twice`, async () => {
    const database = await createMigratedDatabase(inject("postgres"))
    const launch = () =>
      start({
        environment: {
          DATABASE_URL: database,
          GATEWARDEN_KEYRING: `k1:${Buffer.alloc(32, 7).toString("base64")}`,
          GATEWARDEN_DRAIN_DELAY_MS: "1000"
        }
      })
    const before = (balancer = await startLoadBalancer())
    let serving = await Promise.all([launch(), launch()])
    for (const { url } of serving) await before.add(url)
    const basePath = new URL(serving[0]?.url ?? "").pathname

    const made: { readonly name: string; readonly id: string }[] = []
    const failures: unknown[] = []
    const load = { isOver: false }
    let calls = 0
    const work = async (worker: number) => {
      const client = new OpenRouter({ apiKey: managementKey, serverURL: before.origin + basePath })
      for (let index = 0; !load.isOver; index++) {
        const name = `${worker}-${index}`
        try {
          const { data } = await client.guardrails.create({ createGuardrailRequest: { name } })
          made.push({ name, id: data.id })
          const description = `of ${name}`
          await client.guardrails.update({ id: data.id, updateGuardrailRequest: { description } })
          assert.strictEqual((await client.guardrails.get({ id: data.id })).data.description, description)
          await client.byok.create({
            createBYOKKeyRequest: { name, provider: "openai", key: `sk-0123456789abcdefghijklmn-${name}` }
          })
          calls += 4
        } catch (cause) {
          failures.push(cause)
          return
        }
      }
    }
    const working = Promise.all(Array.from({ length: workers }, (_, worker) => work(worker)))

    const replace = async (old: ServerProcess): Promise<ServerProcess> => {
      const next = await launch()
      await before.add(next.url)
      const enough = calls + 10 * workers
      await eventually("calls through both", async () => (calls >= enough || failures.length > 0 ? true : undefined))
      assert.strictEqual(await old.stop(), 0)
      assert.include(old.stderr(), "draining")
      // The balancer was told before the socket closed.
      assert.deepStrictEqual(before.healthOf(old.url).slice(0, 2), [200, 503])
      return next
    }
    for (let round = 0; round < replacements; round++)
      for (const [index, old] of serving.entries()) serving = serving.with(index, await replace(old)) as typeof serving
    load.isOver = true
    await working

    assert.deepStrictEqual(failures, [])
    const told = Object.fromEntries(before.passed)
    console.info(`${calls} calls, ${replacements * 2} servers replaced, answers: ${JSON.stringify(told)}`)
    assert.isAbove(calls, replacements * 80)
    // Beside what was asked for there were only refusals of servers on their way out.
    assert.isEmpty(Object.keys(told).filter((status) => !["200", "201", "503"].includes(status)))
    for (const table of ["gatewarden_guardrail", "gatewarden_byok_credential"]) {
      const rows = await execute(database, `select name from ${table} group by name having count(*) <> 1`)
      assert.deepStrictEqual(rows, [], table)
    }
    for (const { name, id } of made.slice(-10)) {
      const { json } = await callServer(serving[0]?.url ?? "", "GET", `/guardrails/${id}`)
      assert.strictEqual(json.data.name, name)
    }
  })
})
