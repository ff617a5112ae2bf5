/** Long JSON bodies: read in steps, with a cap on what they hold, and counted while they are under way. */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { createGatewarden, type Gatewarden } from "../../core/src/instance/createGatewarden.ts"
import { defaultBodyLimits, maxShortBytes } from "../../core/src/http/BodyLimits.ts"
import { memory } from "../../core/src/memory/memory.ts"

const managementKey = "long-bodies-management-key-0123456789"

let gatewarden: Gatewarden
beforeAll(async () => {
  gatewarden = await createGatewarden({ store: memory(), managementKey })
})
afterAll(() => gatewarden?.close())

const send = (method: string, path: string, body: string | ReadableStream<Uint8Array>, headers: object = {}) => {
  const init: RequestInit & { readonly duplex: "half" } = {
    method,
    headers: { authorization: `Bearer ${managementKey}`, "content-type": "application/json", ...headers },
    body,
    duplex: "half"
  }
  return gatewarden.fetch(new Request(`http://x/api/v1${path}`, init))
}

interface Refusal {
  readonly error: {
    readonly metadata: { readonly reason: string; readonly issues: readonly { readonly code: string }[] }
  }
}

it("a Content-Type of 200,000 blanks is 415 at once, for anybody", async () => {
  const headers = { "content-type": `application/json${" ".repeat(200_000)}x` }
  assert.strictEqual((await send("POST", "/oauth/token", "{}", headers)).status, 415)
  for (const type of ["application/json", "Application/JSON ;", 'application/json; charset="UTF-8";'])
    assert.notStrictEqual((await send("POST", "/oauth/token", "{}", { "content-type": type })).status, 415, type)
})

describe("a long body", () => {
  it("of 600,000 messages is 413, before anything is made of it", async () => {
    const messages = Array.from({ length: 600_000 }, () => '{"role":"user","content":"x"}').join()
    const answer = await send("POST", "/gateway/admissions", `{"messages":[${messages}]}`)
    assert.strictEqual(answer.status, 413)
    const { metadata } = ((await answer.json()) as Refusal).error
    assert.deepEqual([metadata.reason, metadata.issues[0]?.code], ["payload_too_large", "too_many_values"])
  })

  it("with an object of 190,000 members is 413, before anything is made of it", async () => {
    const members = Array.from({ length: 190_000 }, (_, at) => `"k${at}":${at}`).join()
    const answer = await send("POST", "/gateway/admissions", `{"messages":[{"role":"user","content":"x",${members}}]}`)
    assert.strictEqual(answer.status, 413)
    const { metadata } = ((await answer.json()) as Refusal).error
    assert.deepEqual([metadata.reason, metadata.issues[0]?.code], ["payload_too_large", "too_many_members"])
  })

  it("with a string of more than 16 MiB of memory is 413 with the limit", async () => {
    for (const text of ["x".repeat(16_777_217), `${"x".repeat(8_388_608)}€`]) {
      const answer = await send("POST", "/gateway/admissions", `{"messages":[{"role":"user","content":"${text}"}]}`)
      assert.strictEqual(answer.status, 413)
      const { issues } = ((await answer.json()) as { error: { metadata: { issues: { message: string }[] } } }).error
        .metadata
      assert.include(issues[0]?.message, "more than 16777216 characters")
    }
  })

  it("tells of what is wrong in the order of its places", async () => {
    const messages = Array.from({ length: 2_000 }, (_, at) => ({
      role: "user",
      content: at === 1_500 ? 1 : "xxxxxxxxxx"
    }))
    const answer = await send(
      "POST",
      "/gateway/admissions",
      JSON.stringify({ api_key_hash: 1, tools: [1], messages, model: 1, n: 0 })
    )
    const { issues } = ((await answer.json()) as { error: { metadata: { issues: { path: string }[] } } }).error.metadata
    assert.deepEqual(
      issues.map(({ path }) => path),
      ["api_key_hash", "messages.1500.content", "model", "n", "tools.0"]
    )
  })

  it("is judged by the same rules as a short one", async () => {
    const padding = "x".repeat(100_000)
    const create = (name: string, more = "") =>
      send("POST", "/guardrails", `{"name":"${name}","y":"${padding}"${more}}`)
    assert.strictEqual((await create("long")).status, 200)
    for (const [more, code] of [
      [',"name":"b"', "duplicate_key"],
      [',"z":"\\ud800"', "lone_surrogate"],
      [`,"z":${"[".repeat(70)}${"]".repeat(70)}`, "too_deep"],
      [",", "invalid_json"]
    ] as const) {
      const answer = await create("a", more)
      assert.strictEqual(answer.status, 400)
      assert.strictEqual(((await answer.json()) as Refusal).error.metadata.issues[0]?.code, code)
    }
    assert.strictEqual((await create("")).status, 400)
    assert.strictEqual((await send("POST", "/guardrails", `["${padding}"]`)).status, 400)
  })

  it("beside too many others of its key is 429, and let in once they are gone", async () => {
    let end = (): void => {}
    let sent: Promise<Response> | undefined
    // The second pull shows that the first piece was counted.
    await new Promise<void>((counted) => {
      let pulls = 0
      const pull = (controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> | void => {
        if (pulls++ === 0) return controller.enqueue(new Uint8Array(defaultBodyLimits.json.key + maxShortBytes))
        counted()
        return new Promise((resolve) => {
          end = () => {
            controller.error(new Error("hung up"))
            resolve()
          }
        })
      }
      const body = new ReadableStream<Uint8Array>({ pull }, { highWaterMark: 0 })
      sent = send("POST", "/gateway/usage-events", body, { "content-length": "33554432" })
    })
    const refused = await send("POST", "/guardrails", `{"name":"a","y":"${"x".repeat(100_000)}"}`, {
      "content-length": "100020"
    })
    assert.deepEqual([refused.status, refused.headers.get("retry-after")], [429, "5"])
    assert.strictEqual(((await refused.json()) as Refusal).error.metadata.reason, "key_bodies_in_flight")
    // A short one costs next to nothing.
    assert.strictEqual((await send("POST", "/guardrails", '{"name":"short"}')).status, 200)
    end()
    assert.strictEqual((await sent)?.status, 400)
    assert.strictEqual((await send("POST", "/guardrails", `{"name":"b","y":"${"x".repeat(100_000)}"}`)).status, 200)
  })
})
