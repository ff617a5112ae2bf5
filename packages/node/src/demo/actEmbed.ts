/** Act 4: the host that served all this, and the public client that manages it. */
import { readFile } from "node:fs/promises"
import type { Stage } from "./Stage.ts"

/** The lines of the host between its two marks, as they are in this package. */
const hostLines = async (): Promise<string> => {
  const source = await readFile(new URL("../../src/demo/host.ts", import.meta.url), "utf8")
  return /─── the host ───\n([^]*?)\/\/ ─── the end of it/.exec(source)?.[1] ?? ""
}

interface ClientPage {
  readonly result: { readonly data: readonly { readonly name: string }[] }
}
interface Client {
  readonly guardrails: {
    readonly create: (request: object) => Promise<{ readonly data: { readonly id: string } }>
    readonly list: (request: object) => Promise<AsyncIterable<ClientPage>>
  }
}
type ClientModule = {
  readonly OpenRouter: new (options: { readonly apiKey: string; readonly serverURL: string }) => Client
}

/** The public client where it is installed; it is no dependency. */
const publicClient = async ({ managementKey, origin }: Stage): Promise<Client | undefined> => {
  const name = "@openrouter/sdk"
  try {
    const { OpenRouter } = (await import(name)) as ClientModule
    return new OpenRouter({ apiKey: managementKey, serverURL: `${origin}/api/v1` })
  } catch {
    return undefined
  }
}

const made = "Made by a client"

const byClient = async (client: Client): Promise<readonly string[]> => {
  await client.guardrails.create({ createGuardrailRequest: { name: made, limitUsd: 50, resetInterval: "daily" } })
  const names: string[] = []
  for await (const page of await client.guardrails.list({})) names.push(...page.result.data.map(({ name }) => name))
  return names
}

const byFetch = async ({ manage }: Stage): Promise<readonly string[]> => {
  await manage("POST", "/guardrails", { name: made, limit_usd: 50, reset_interval: "daily" })
  const { data } = await manage<{ readonly data: readonly { readonly name: string }[] }>("GET", "/guardrails?limit=100")
  return data.map(({ name }) => name)
}

export const actEmbed = async (stage: Stage): Promise<void> => {
  const { screen, newKey } = stage
  screen.act("4  Embed", "The application that served all of this, whole:")
  const lines = await hostLines()
  screen.code(lines)
  const { key } = await newKey({ name: "chat", limit: 1 })
  const answer = await fetch(`${stage.origin}/chat`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}` },
    body: JSON.stringify({
      model: "acme/small",
      messages: [{ role: "user", content: "hello" }],
      max_completion_tokens: 50
    })
  })
  const text = await answer.text()
  const { data } = await stage.manage<{ readonly data: readonly { readonly name: string; readonly usage: number }[] }>(
    "GET",
    "/keys"
  )
  const usage = data.find(({ name }) => name === "chat")?.usage ?? 0
  screen.claim(
    "its own route answers, and what it cost is on the key",
    answer.status === 200 && text === "You wrote: hello" && usage > 0,
    `${lines.trim().split("\n").length} lines, $${usage}`
  )
  const client = await publicClient(stage)
  const names = client === undefined ? await byFetch(stage) : await byClient(client)
  screen.claim(
    client === undefined
      ? "any HTTP client manages it (@openrouter/sdk, which does too, is not installed here)"
      : "the public client, @openrouter/sdk, manages it unchanged",
    names.includes(made),
    `${names.length} guardrails listed`
  )
}
