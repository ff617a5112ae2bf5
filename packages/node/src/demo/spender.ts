/** A process that spends: many calls at once, each admitted, sent and settled over HTTP, or only checked and charged. */
import { costOf } from "./prices.ts"
import { setTimeout as pause } from "node:timers/promises"
import type { FromSpender, SpenderOrders } from "./Spenders.ts"

const tell = (message: FromSpender): void => void process.send?.(message)

const post = (url: string, body: object | string, headers: Readonly<Record<string, string>> = {}, method = "POST") =>
  fetch(url, {
    method,
    headers,
    ...(method === "DELETE" ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) })
  })

let holding = 0

const messages = [{ role: "user", content: "Go on." }]
const max_completion_tokens = 100

/** What the provider counted. */
const callProvider = async ({ provider, millis }: SpenderOrders): Promise<number> => {
  const answer = await post(provider, { messages, max_completion_tokens, millis })
  await answer.text()
  return Number(answer.headers.get("x-tokens")?.split(" ")[1])
}

type Ending = "settled" | "cancelled" | "refused"

interface Asked {
  readonly id: string
  readonly decision: "allow" | "deny"
}

/** Once more for each time that it is refused, after a while: others may have given money back. */
const admitted = async (ask: () => Promise<Asked>, { retries, millis }: SpenderOrders): Promise<Asked> => {
  let answer = await ask()
  for (let left = retries; left > 0 && answer.decision === "deny"; left--) {
    await pause(2 * millis)
    answer = await ask()
  }
  return answer
}

const guarded = async (orders: SpenderOrders, cancels: boolean): Promise<Ending> => {
  const headers = { authorization: `Bearer ${orders.managementKey}`, "content-type": "application/json" }
  const { api_key_hash, model } = orders
  const created_at = new Date().toISOString()
  const asked = { api_key_hash, model, messages, max_completion_tokens, hold_seconds: 30 }
  const data = await admitted(async () => {
    const answer = await post(`${orders.url}/gateway/admissions`, asked, headers)
    return ((await answer.json()) as { readonly data: Asked }).data
  }, orders)
  if (data.decision === "deny") return "refused"
  if (++holding === orders.doomed) tell({ kind: "holding" })
  const completion_tokens = await callProvider(orders)
  const at = `${orders.url}/gateway/admissions/${data.id}`
  if (cancels) {
    await (await post(at, {}, headers, "DELETE")).text()
    return "cancelled"
  }
  const event = {
    created_at,
    model,
    provider: "openai",
    prompt_tokens: 6,
    completion_tokens,
    cost_usd: costOf(completion_tokens).usd
  }
  const settled = await post(`${at}/settlement`, { event }, headers)
  await settled.text()
  if (!settled.ok) throw new Error(`settlement: ${settled.status}`)
  return "settled"
}

const naive = async (orders: SpenderOrders, cancels: boolean): Promise<Ending> => {
  if ((await post(`${orders.url}/check`, "")).status !== 200) return "refused"
  const completion_tokens = await callProvider(orders)
  if (cancels) return "cancelled"
  await (await post(`${orders.url}/charge`, String(costOf(completion_tokens).nanos))).text()
  return "settled"
}

// Whoever gave the orders is gone: nobody will read what this one found.
process.once("disconnect", () => process.exit())
process.once("message", async (orders: SpenderOrders) => {
  const spend = orders.mode === "guarded" ? guarded : naive
  const fire = (from: number, to: number) =>
    Promise.all(Array.from({ length: to - from }, (_, at) => spend(orders, (from + at) % 3 === 2)))
  const { doomed, calls } = orders
  if (doomed !== undefined) {
    // Never answered: the provider takes longer than this process has.
    void fire(0, doomed)
    process.once("message", () => {
      void fire(doomed, calls)
      setImmediate(() => process.kill(process.pid, "SIGKILL"))
    })
    return
  }
  const endings = await fire(0, calls)
  const count = (ending: Ending) => endings.filter((each) => each === ending).length
  tell({ kind: "done", settled: count("settled"), cancelled: count("cancelled"), refused: count("refused") })
})
tell({ kind: "ready" })
