/**
 * The reference gateway before the clients that people use, each unmodified: what they are told, and where their users find it.
 *
 * The table in `docs/gateway.md` is what happened here. `npm run clients` writes it; a test fails while it is stale.
 */
import { assert, describe, it } from "@effect/vitest"
import { readFileSync, writeFileSync } from "node:fs"
import {
  answers,
  type ApiForm,
  breaksOff,
  call,
  refuses,
  streamsAs,
  text,
  waits
} from "@gatewarden/testkit/upstream/ApiForm"
import { chatForm } from "@gatewarden/testkit/upstream/chatForm"
import type { ChatScript } from "@gatewarden/testkit/upstream/chatUpstream"
import { embeds, vector } from "@gatewarden/testkit/upstream/embeddingsForm"
import { messagesForm } from "@gatewarden/testkit/upstream/messagesForm"
import { responsesForm } from "@gatewarden/testkit/upstream/responsesForm"
import { aiEmbeddings, aiOpenai, aiOpenaiChat, aiOpenrouter } from "./clients/aiClients.ts"
import { anthropicClient } from "./clients/anthropicClient.ts"
import type { AnyClient, Api, GatewayClient } from "./clients/GatewayClient.ts"
import { langchainOpenai, langchainOpenrouter } from "./clients/langchainClients.ts"
import { openaiChat, openaiEmbeddings, openaiResponses } from "./clients/openaiClients.ts"
import { openrouterClient } from "./clients/openrouterClient.ts"
import { claudeCode, codex } from "./clients/recordedAgents.ts"
import { deferred } from "./deferred.ts"
import { type MadeKey, gatewayUnderTest, usage } from "./gatewayUnderTest.ts"

const { address, budgetOf, manage, newKey, patienceBegun, settledOf, upstream } = gatewayUnderTest()

const writers: readonly GatewayClient[] = [
  openaiChat,
  openaiResponses,
  langchainOpenai,
  aiOpenrouter,
  aiOpenai,
  aiOpenaiChat,
  langchainOpenrouter,
  openrouterClient,
  anthropicClient,
  claudeCode,
  codex
]
const embedders: readonly AnyClient[] = [openaiEmbeddings, aiEmbeddings]
const clients: readonly AnyClient[] = [...writers, ...embedders]

const forms: Readonly<Record<GatewayClient["api"], ApiForm>> = {
  "/chat/completions": chatForm,
  "/responses": responsesForm,
  "/messages": messagesForm
}
const providerOf = (api: Api) => (api === "/messages" ? "anthropic" : "openai")

/** The version of an agent whose requests were recorded; it asks for streams alone. */
const recordedOf = (client: AnyClient): string | undefined =>
  "recorded" in client ? String(client.recorded) : undefined

/** An answer of seven tokens read and three written, or ten read; and what a client reads of it. */
const answered = (client: AnyClient, said: string): ChatScript => {
  if (client.api === "/embeddings") return embeds(10)
  return (recordedOf(client) === undefined ? answers : streamsAs)(forms[client.api], [text(said)], usage)
}
const readOf = (api: Api, said: string): string => (api === "/embeddings" ? JSON.stringify(vector) : said)

const refused = (api: Api, status: number, message?: string): ChatScript =>
  refuses(api === "/embeddings" ? chatForm : forms[api], status, message)

const fieldOf = (value: unknown, path: string): unknown =>
  path
    .split(".")
    .reduce<unknown>((at, name) => (typeof at === "object" && at !== null ? Reflect.get(at, name) : undefined), value)

/** An agent asks for more than a key of the others may spend. */
const keyFor = (client: AnyClient) => newKey(recordedOf(client) === undefined ? {} : { limit: 100 })

const connect = <C extends AnyClient>(client: C, { key }: MadeKey, retries = false) =>
  client.connect({ baseUrl: address(), key, retries }) as ReturnType<C["connect"]>

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

/** Rows of the table: what was found, by client and column. */
const rows = new Map<AnyClient, Map<string, string>>(clients.map((client) => [client, new Map<string, string>()]))
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
const found = (client: AnyClient, column: string, what: string) => void rows.get(client)?.set(column, what)

const titleOf = ({ name, api }: AnyClient) => `${name} at ${api}`

for (const client of clients)
  describe(titleOf(client), () => {
    const { api } = client
    const provider = providerOf(api)

    it("reads an answer, and what it cost", async () => {
      upstream.plays(provider, answered(client, "hi"))
      const answer = await connect(client, await keyFor(client)).complete()
      assert.strictEqual(answer.text, readOf(api, "hi"))
      assert.strictEqual(upstream.calls()[0]?.path, api)
      if (client.cost !== "") assert.strictEqual(fieldOf(answer.found, client.cost), 0.01)
      if (recordedOf(client) !== undefined) return
      found(client, "plain answer", client.cost === "" ? "yes; has no cost" : `\`${client.cost}\``)
    })

    it("is told what a key may not spend, and what a guardrail forbids", async () => {
      const poor = await caught(connect(client, await newKey({ limit: 0.001 })).complete())
      assert.strictEqual(fieldOf(poor, client.status), 402)
      assert.include(poor.message, "Key limit of $0.001 exceeded")
      const { data } = await manage("GET", "/workspaces/default")
      const { default_guardrail_id } = data as unknown as { readonly default_guardrail_id: string }
      await manage("PATCH", `/guardrails/${default_guardrail_id}`, {
        content_filters: [{ pattern: "hel+[op]", action: "block" }]
      })
      const forbidden = await caught(connect(client, await keyFor(client)).complete())
      assert.strictEqual(fieldOf(forbidden, client.status), 403)
      assert.deepEqual(upstream.calls(), [])
      found(client, "402, 403", `\`${client.status}\`, text in \`message\``)
    })

    it("is told that it asks too often, and comes again when it may", async () => {
      const limited = await keyFor(client)
      await manage("PUT", `/gateway/keys/${limited.hash}/rate-limits`, { requests_per_minute: 1 })
      upstream.plays(provider, answered(client, "hi"))
      await connect(client, limited).complete()
      const often = await caught(connect(client, limited).complete())
      assert.strictEqual(fieldOf(often, client.status), 429)
      // How an agent goes on was not recorded.
      if (recordedOf(client) !== undefined) {
        assert.isAbove(Number(fieldOf(often, "retryAfter")), 0)
        return found(client, "429", `\`${client.status}\`, \`Retry-After\``)
      }

      let calls = 0
      const busy: ChatScript = (asked, response) => {
        response.setHeader("retry-after", "1")
        return refused(api, 429)(asked, response)
      }
      for (const each of ["openai", "anthropic"]) upstream.plays(each, busy)
      upstream.plays(provider, (asked, response) => (++calls > 1 ? answered(client, "again") : busy)(asked, response))
      assert.strictEqual((await connect(client, await keyFor(client), true).complete()).text, readOf(api, "again"))
      found(client, "429", client === openrouterClient ? "again, if `retryCodes` has it" : "again by itself")
    })

    it("is told why an upstream refused a request", async () => {
      upstream.plays(provider, refused(api, 400, "This model has no vision."))
      const why = await caught(connect(client, await keyFor(client)).complete())
      assert.include(why.message, "This model has no vision.")
      assert.strictEqual(fieldOf(why, client.status), 400)
      found(client, "400 of the upstream", "its text in `message`")
    })
  })

for (const client of writers)
  describe(titleOf(client), () => {
    const provider = providerOf(client.api)
    const form = forms[client.api]

    it("reads a stream, what it used and what it cost", async () => {
      upstream.plays(provider, streamsAs(form, [text("he", "llo")], usage))
      const { text: said, found: seen } = await connect(client, await keyFor(client)).stream()
      assert.strictEqual(said, "hello")
      assert.strictEqual(fieldOf(seen, client.streamedTokens), 3)
      if (client.streamedCost !== "") assert.strictEqual(fieldOf(seen, client.streamedCost), 0.01)
      const cost = client.streamedCost === "" ? "has no cost" : `\`${client.streamedCost}\``
      found(client, "stream: usage, cost", `\`${client.streamedTokens}\`, ${cost}`)
    })

    it("calls a tool, whole and streamed", async () => {
      const connection = connect(client, await keyFor(client))
      const written = [call("weather", '{"cit', 'y":"Ulm"}')]
      upstream.plays(provider, answers(form, written, usage))
      if (client.recorded === undefined) {
        assert.deepEqual(await connection.call(), { name: "weather", city: "Ulm" })
        assert.match(JSON.stringify(upstream.calls()[0]?.body["tools"]), /"properties":{"city":{"type":"string"}}/)
      }
      upstream.plays(provider, streamsAs(form, written, usage))
      assert.deepEqual(await connection.streamedCall(), { name: "weather", city: "Ulm" })
      found(client, "tool call", client.recorded === undefined ? "whole, streamed" : "streamed")
    })

    it("is told why an upstream refused a stream", async () => {
      upstream.plays(provider, refused(client.api, 400, "This model has no vision."))
      const why = await caught(connect(client, await keyFor(client)).stream())
      assert.include(why.message, "This model has no vision.")
      assert.strictEqual(fieldOf(why, client.status), 400)
    })

    it("learns that a stream broke off", async () => {
      const key = await keyFor(client)
      upstream.plays(provider, breaksOff(form, [text("four", "more")], usage))
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
      const key = await keyFor(client)
      const gone = deferred()
      upstream.plays(provider, waits(form, [text("first", "more")], usage, gone.promise))
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

const document = new URL("../../../docs/gateway.md", import.meta.url)
const between = /(<!-- clients -->\n)[^]*?(<!-- \/clients -->)/

const versionOf = (name: string): string => {
  const manifest = new URL(`../../../node_modules/${name}/package.json`, import.meta.url)
  return (JSON.parse(readFileSync(manifest, "utf8")) as { readonly version: string }).version
}

const table = (): string => {
  const named = (name: string) =>
    name
      .split(", ")
      .map((each) => `\`${each}\` ${versionOf(each)}`)
      .join(", ")
  const lines = clients.map((client) => [
    recordedOf(client) === undefined ? named(client.name) : `${client.name} ${recordedOf(client)} (recorded)`,
    `\`${client.api}\``,
    ...columns.map((column) => rows.get(client)?.get(column) ?? "–")
  ])
  const head = ["client", "API", ...columns]
  const all = [head, head.map(() => "---"), ...lines]
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
