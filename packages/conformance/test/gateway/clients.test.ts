/**
 * The reference gateway before the clients that people use, each unmodified: what they are told, and where their users find it.
 *
 * The table in `docs/gateway.md` is what happened here. `npm run clients` writes it; a test fails while it is stale.
 */
import { assert, describe, it } from "@effect/vitest"
import { readFileSync, writeFileSync } from "node:fs"
import { completes, delta, fails, sendEvent, startStream, streams } from "../../src/upstream/chatUpstream.ts"
import { aiClient } from "./clients/aiClient.ts"
import type { GatewayClient } from "./clients/GatewayClient.ts"
import { langchainOpenai, langchainOpenrouter } from "./clients/langchainClients.ts"
import { openaiClient } from "./clients/openaiClient.ts"
import { openrouterClient } from "./clients/openrouterClient.ts"
import { deferred } from "./deferred.ts"
import { type MadeKey, gatewayUnderTest, usage } from "./gatewayUnderTest.ts"

const { address, budgetOf, manage, newKey, patienceBegun, settledOf, upstream } = gatewayUnderTest()

const clients: readonly GatewayClient[] = [
  openaiClient,
  langchainOpenai,
  aiClient,
  langchainOpenrouter,
  openrouterClient
]

const fieldOf = (value: unknown, path: string): unknown =>
  path
    .split(".")
    .reduce<unknown>((at, name) => (typeof at === "object" && at !== null ? Reflect.get(at, name) : undefined), value)

const connect = (client: GatewayClient, { key }: MadeKey, retries = false) =>
  client.connect({ baseUrl: address(), key, retries })

/** What a client's user catches. */
const caught = async (work: Promise<unknown>): Promise<Error> => {
  try {
    await work
  } catch (cause) {
    assert.instanceOf(cause, Error)
    return cause as Error
  }
  return assert.fail("nothing was thrown")
}

const call = { id: "call_1", type: "function", function: { name: "weather", arguments: '{"city":"Ulm"}' } }

/** Rows of the table: what was found, by client and column. */
const rows = new Map<string, Map<string, string>>(clients.map(({ name }) => [name, new Map<string, string>()]))
const columns = [
  "plain answer",
  "stream: usage, cost",
  "tool call",
  "400 of the upstream",
  "402, 403",
  "429",
  "breaks off",
  "leaves"
]
const found = (client: GatewayClient, column: string, what: string) => void rows.get(client.name)?.set(column, what)

for (const client of clients)
  describe(client.name, () => {
    it("reads an answer, and what it cost", async () => {
      upstream.plays("openai", completes("hi", usage))
      const answer = await connect(client, await newKey()).complete()
      assert.strictEqual(answer.text, "hi")
      if (client.cost !== "") assert.strictEqual(fieldOf(answer.found, client.cost), 0.01)
      found(client, "plain answer", client.cost === "" ? "yes; has no cost" : `\`${client.cost}\``)
    })

    it("reads a stream, what it used and what it cost", async () => {
      upstream.plays("openai", streams(["he", "llo"], usage))
      const answer = await connect(client, await newKey()).stream()
      assert.strictEqual(answer.text, "hello")
      assert.strictEqual(fieldOf(answer.found, client.streamedTokens), 3)
      assert.strictEqual(fieldOf(answer.found, client.streamedCost), 0.01)
      found(client, "stream: usage, cost", `\`${client.streamedTokens}\`, \`${client.streamedCost}\``)
    })

    it("calls a tool, whole and streamed", async () => {
      const connection = connect(client, await newKey())
      upstream.plays("openai", (_, response) =>
        response.end(
          JSON.stringify({
            choices: [
              {
                index: 0,
                message: { role: "assistant", content: null, tool_calls: [call] },
                finish_reason: "tool_calls"
              }
            ],
            usage
          })
        )
      )
      assert.deepEqual(await connection.call(), { name: "weather", city: "Ulm" })
      assert.nestedProperty(upstream.calls()[0]?.body, "tools[0].function.parameters.properties.city")
      upstream.plays("openai", (_, response) => {
        startStream(response)
        const { arguments: written, ...named } = call.function
        const piece = (part: object, finish_reason: string | null = null) =>
          sendEvent(response, {
            choices: [{ index: 0, delta: { tool_calls: [{ index: 0, ...part }] }, finish_reason }]
          })
        piece({ ...call, function: { ...named, arguments: "" } })
        piece({ function: { arguments: written.slice(0, 5) } })
        piece({ function: { arguments: written.slice(5) } })
        sendEvent(response, { choices: [{ index: 0, delta: {}, finish_reason: "tool_calls" }] })
        sendEvent(response, { choices: [], usage })
        sendEvent(response, "[DONE]")
        response.end()
      })
      assert.deepEqual(await connection.streamedCall(), { name: "weather", city: "Ulm" })
      found(client, "tool call", "whole, streamed")
    })

    it("is told why an upstream refused a request", async () => {
      upstream.plays("openai", fails(400, "This model has no vision."))
      const connection = connect(client, await newKey())
      for (const refused of [await caught(connection.complete()), await caught(connection.stream())]) {
        assert.include(refused.message, "This model has no vision.")
        assert.strictEqual(fieldOf(refused, client.status), 400)
      }
      found(client, "400 of the upstream", "its text in `message`")
    })

    it("is told what a key may not spend, and what a guardrail forbids", async () => {
      const poor = await caught(connect(client, await newKey({ limit: 0.001 })).complete())
      assert.strictEqual(fieldOf(poor, client.status), 402)
      assert.include(poor.message, "Key limit of $0.001 exceeded")
      const { data } = await manage("GET", "/workspaces/default")
      const { default_guardrail_id } = data as unknown as { readonly default_guardrail_id: string }
      await manage("PATCH", `/guardrails/${default_guardrail_id}`, {
        content_filters: [{ pattern: "hel+o", action: "block" }]
      })
      const forbidden = await caught(connect(client, await newKey()).complete())
      assert.strictEqual(fieldOf(forbidden, client.status), 403)
      assert.deepEqual(upstream.calls(), [])
      found(client, "402, 403", `\`${client.status}\`, text in \`message\``)
    })

    it("is told that it asks too often, and comes again when it may", async () => {
      const limited = await newKey()
      await manage("PUT", `/gateway/keys/${limited.hash}/rate-limits`, { requests_per_minute: 1 })
      upstream.plays("openai", completes("hi", usage))
      await connect(client, limited).complete()
      const refused = await caught(connect(client, limited).complete())
      assert.strictEqual(fieldOf(refused, client.status), 429)

      let calls = 0
      upstream.plays("openai", (asked, response) => {
        if (++calls > 1) return completes("again", usage)(asked, response)
        response.setHeader("retry-after", "1")
        return fails(429)(asked, response)
      })
      upstream.plays("anthropic", (asked, response) => {
        response.setHeader("retry-after", "1")
        return fails(429)(asked, response)
      })
      assert.strictEqual((await connect(client, await newKey(), true).complete()).text, "again")
      found(client, "429", client === openrouterClient ? "again, if `retryCodes` has it" : "again by itself")
    })

    it("learns that a stream broke off", async () => {
      const key = await newKey()
      upstream.plays("openai", (_, response) => {
        startStream(response)
        response.write(`data: ${JSON.stringify(delta("four"))}\n\n`, () => response.destroy())
      })
      let broken: string | undefined
      try {
        ;({ broken } = await connect(client, key).stream())
      } catch (cause) {
        assert.include((cause as Error).message, "Provider returned error")
        broken = "throws"
      }
      assert.isDefined(broken)
      await settledOf(key)
      found(client, "breaks off", broken ?? "")
    })

    it("may leave, and pays what its upstream counts", async () => {
      const key = await newKey()
      const gone = deferred()
      upstream.plays("openai", async (_, response) => {
        startStream(response)
        sendEvent(response, delta("first"))
        await gone.promise
        for (const event of [delta("more", "stop"), { choices: [], usage }, "[DONE]"]) sendEvent(response, event)
        response.end()
      })
      const leaving = new AbortController()
      const streamed = connect(client, key)
        .stream({ signal: leaving.signal, onText: () => leaving.abort() })
        .catch(() => undefined)
      await patienceBegun()
      gone.resolve()
      await streamed
      await settledOf(key)
      assert.deepEqual(await budgetOf(key), { spent: "0.01", held: "0" })
      found(client, "leaves", "charged as counted")
    })
  })

const document = new URL("../../../../docs/gateway.md", import.meta.url)
const between = /(<!-- clients -->\n)[^]*?(<!-- \/clients -->)/

const versionOf = (name: string): string => {
  const manifest = new URL(`../../../../node_modules/${name}/package.json`, import.meta.url)
  return (JSON.parse(readFileSync(manifest, "utf8")) as { readonly version: string }).version
}

const table = (): string => {
  const named = (name: string) =>
    name
      .split(", ")
      .map((each) => `\`${each}\` ${versionOf(each)}`)
      .join(", ")
  const lines = clients.map(({ name }) => [named(name), ...columns.map((column) => rows.get(name)?.get(column) ?? "")])
  const all = [["client", ...columns], ["client", ...columns].map(() => "---"), ...lines]
  return all.map((cells) => `| ${cells.join(" | ")} |\n`).join("")
}

describe("the table of clients", () => {
  it("is what happened here", () => {
    const text = readFileSync(document, "utf8")
    const made = text.replace(between, (_, begin: string, end: string) => `${begin}\n${table()}\n${end}`)
    if (process.env["GATEWARDEN_WRITE_CLIENTS"] === "1") writeFileSync(document, made)
    else assert.strictEqual(text, made, "docs/gateway.md is stale; npm run clients writes its table")
  })
})
