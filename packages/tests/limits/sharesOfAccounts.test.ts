/**
 * API keys that hold all that they may do not keep the management keys of their account out, and the other way round. Rule:
 * requests#bodies-in-flight, requests#answers-in-flight.
 */
import { createGatewarden, type Gatewarden, memory } from "@gatewarden/core"
import { defaultBodyLimits, maxShortBytes } from "@gatewarden/core/effect"
import { afterEach, assert, beforeEach, describe, it } from "@effect/vitest"

const managementKey = "shares-of-accounts-management-key-0123456789"

/** Four of them are a page. */
const content = "x".repeat(900_000)
const version = JSON.stringify({ messages: [{ role: "system", content }] })
const versions = "/presets/long/versions?limit=100"
const completions = "/presets/long/chat/completions"

type Kind = "api" | "management"

let gatewarden: Gatewarden
/** Three of each kind: one and a half can hold all that their kind may. */
let keys: Readonly<Record<Kind, readonly string[]>>
/** Ends what is held. */
let endings: (() => Promise<unknown>)[]

const send = (key: string, method: string, path: string, body?: string | ReadableStream<Uint8Array>) =>
  gatewarden.fetch(
    new Request(`http://localhost/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body, duplex: "half" })
    } as RequestInit)
  )

const newKey = async (path: string) => {
  const made = await (await send(managementKey, "POST", path, '{"name":"k"}')).json()
  return (made as { readonly key: string }).key
}

beforeEach(async () => {
  gatewarden = await createGatewarden({ store: memory(), managementKey })
  endings = []
  const three = (path: string) => Promise.all(Array.from({ length: 3 }, () => newKey(path)))
  keys = { api: await three("/keys"), management: await three("/gateway/management-keys") }
  for (let made = 0; made < 5; made++) {
    const answer = await send(keys.api[0] ?? "", "POST", completions, version)
    assert.strictEqual(answer.status, 200)
    await answer.arrayBuffer()
  }
})
afterEach(async () => {
  for (const end of endings) await end()
  await gatewarden.close()
})

/** Sends long requests with each of the keys until it is refused, and reads no answer. Returns the refusals. */
const holdAnswers = async (kind: Kind, method: string, path: string, body?: string): Promise<readonly Response[]> => {
  const refusals: Response[] = []
  for (const key of keys[kind]) {
    for (let count = 0; count < 25; count++) {
      const answer = await send(key, method, path, body)
      if (answer.status !== 200) {
        refusals.push(answer)
        break
      }
      endings.push(() => answer.arrayBuffer())
    }
  }
  return refusals
}

/** So many together are what a key may have in flight. */
const bodiesOfKey = 16
const heldBytes = defaultBodyLimits.json.key / bodiesOfKey

/** Sends a body, all but its end. */
const holdBody = (key: string) =>
  new Promise<void>((arrived, failed) => {
    let pulls = 0
    const pull = (controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> | void => {
      if (pulls++ === 0) return controller.enqueue(new Uint8Array(heldBytes).fill(32))
      // The second pull shows that the first piece was counted.
      arrived()
      return new Promise((resolve) => {
        endings.push(async () => {
          controller.error(new Error("hung up"))
          resolve()
          await answered
        })
      })
    }
    const body = new ReadableStream<Uint8Array>({ pull }, { highWaterMark: 0 })
    const answered = send(key, "POST", completions, body)
    answered.then(({ status }) => failed(new Error(`answered ${status}`)), failed)
  })

const reasonOf = async (answer: Response) => {
  const { error } = (await answer.json()) as {
    readonly error: { readonly metadata: { readonly reason: string; readonly issues: readonly { message: string }[] } }
  }
  return { status: answer.status, reason: error.metadata.reason, message: error.metadata.issues[0]?.message ?? "" }
}

const others = { api: "management", management: "api" } as const
const names = { api: "API", management: "management" } as const

for (const kind of ["api", "management"] as const)
  describe(`all that the ${names[kind]} keys of an account may have in flight, leaves its ${names[others[kind]]} keys`, () => {
    const share = `of the ${names[kind]} keys of one account`
    const other = () => keys[others[kind]][0] ?? ""

    it("of answers", async () => {
      const refusals = await Promise.all((await holdAnswers(kind, "GET", versions)).map(reasonOf))
      assert.lengthOf(refusals, 3)
      for (const { status, reason } of refusals) assert.deepEqual([status, reason], [503, "answers_in_flight"])
      assert.include(refusals[0]?.message, "of one key")
      assert.include(refusals[2]?.message, share)
      const answer = await send(other(), "GET", versions)
      assert.strictEqual(answer.status, 200)
      assert.isAbove((await answer.arrayBuffer()).byteLength, maxShortBytes)
    })

    it("of answers of changes", async () => {
      const refusals = await Promise.all((await holdAnswers(kind, "POST", completions, version)).map(reasonOf))
      assert.lengthOf(refusals, 3)
      for (const { status, reason } of refusals) assert.deepEqual([status, reason], [503, "answers_in_flight"])
      assert.include(refusals[0]?.message, "of one key")
      assert.include(refusals[2]?.message, share)
      const answer = await send(other(), "POST", completions, version)
      assert.strictEqual(answer.status, 200)
      assert.isAbove((await answer.arrayBuffer()).byteLength, maxShortBytes)
    })

    it("of bodies", async () => {
      const [first = "", second = ""] = keys[kind]
      await Promise.all(Array.from({ length: bodiesOfKey }, () => holdBody(first)))
      // Three quarters of the share of an account: a key has half of it.
      await Promise.all(Array.from({ length: bodiesOfKey / 2 }, () => holdBody(second)))
      const refused = await Promise.all(
        keys[kind].map(async (key) => reasonOf(await send(key, "POST", completions, version)))
      )
      for (const { status, reason } of refused) assert.deepEqual([status, reason], [429, "key_bodies_in_flight"])
      assert.include(refused[0]?.message, "of one key")
      assert.include(refused[2]?.message, share)
      const answer = await send(other(), "POST", completions, version)
      assert.strictEqual(answer.status, 200)
      await answer.arrayBuffer()
    })
  })
