/**
 * The reference gateway with all of ours on, on PostgreSQL, and `@portkey-ai/gateway` with nothing of the kind, before the same upstream:
 * each a process of its own.
 */
import { randomBytes } from "node:crypto"
import { createRequire } from "node:module"
import { fileURLToPath } from "node:url"
import { freePort } from "@gatewarden/testkit/stores/postgresServer"
import { type HttpLoad, openHttpLoad, requestText } from "./HttpLoad.ts"
import { type Bench } from "./openBench.ts"
import { type Program, startProgram } from "./startProgram.ts"

const keyCount = 64
const chatPath = "/v1/chat/completions"
const managementKey = `bench-${"k".repeat(40)}`
const body = JSON.stringify({
  model: "openai/gpt-4o-mini",
  max_tokens: 100,
  messages: [
    { role: "system", content: "You are a helpful assistant." },
    { role: "user", content: "Write a sentence that has every letter of the alphabet." }
  ]
})

export interface GatewayRoute {
  readonly pids: { readonly ours: number; readonly peer: number }
  /** As many connections to each, and to the upstream itself. */
  readonly connect: (connections: number) => Promise<Record<"ours" | "peer" | "upstream", HttpLoad>>
  readonly close: () => Promise<void>
}

const startUpstream = () =>
  startProgram({ path: fileURLToPath(new URL("./chatUpstreamProgram.js", import.meta.url)), listens: /^(http:\S+)$/ })

/** What an answer of ours waits for: `GATEWAY_SETTLE`. */
export type Settling = "before" | "behind"

const startOurs = async (bench: Bench, upstream: URL, settling: Settling) =>
  startProgram({
    path: fileURLToPath(new URL("../../../examples/gateway/dist/main.js", import.meta.url)),
    environment: {
      PORT: "0",
      DATABASE_URL: await bench.createDatabase(),
      GATEWARDEN_KEYRING: `bench:${randomBytes(32).toString("base64")}`,
      GATEWARDEN_MANAGEMENT_KEY: managementKey,
      GATEWARDEN_LOG_LEVEL: "warn",
      GATEWAY_SETTLE: settling,
      GATEWAY_UPSTREAMS: JSON.stringify({ openai: { base_url: `${upstream.origin}/v1`, api_key: "sk-bench" } })
    },
    listens: /listening on (http:\S+)/
  })

const startPeer = async () => {
  const manifest = createRequire(import.meta.url).resolve("@portkey-ai/gateway/package.json")
  const port = await freePort()
  return startProgram({
    path: fileURLToPath(new URL("./build/start-server.js", `file://${manifest}`)),
    args: [`--port=${port}`, "--headless"],
    environment: { NODE_ENV: "production" },
    listens: /(http:\/\/localhost:\d+)/
  })
}

/** A limit each, one budget of the workspace, and filters that look at every message. */
const makeKeys = async ({ url }: Program): Promise<readonly string[]> => {
  const manage = async (method: string, path: string, value?: object) => {
    const answer = await fetch(`${url.href}${path}`, {
      method,
      headers: { authorization: `Bearer ${managementKey}`, "content-type": "application/json" },
      ...(value === undefined ? {} : { body: JSON.stringify(value) })
    })
    if (!answer.ok) throw new Error(`${method} ${path}: ${await answer.text()}`)
    return (await answer.json()) as { readonly key: string; readonly data: Readonly<Record<string, unknown>> }
  }
  const { data: workspace } = await manage("GET", "/workspaces/default")
  await manage("PATCH", `/guardrails/${String(workspace["default_guardrail_id"])}`, {
    content_filter_builtins: [
      { slug: "email", action: "redact" },
      { slug: "credit-card", action: "redact" },
      { slug: "secrets", action: "block" }
    ]
  })
  await manage("PUT", `/workspaces/${String(workspace["id"])}/budgets/monthly`, { limit_usd: 1_000_000 })
  const keys: string[] = []
  for (let index = 0; index < keyCount; index++)
    keys.push((await manage("POST", "/keys", { name: `bench ${index}`, limit: 10_000, limit_reset: "daily" })).key)
  return keys
}

export const openGatewayRoute = async (bench: Bench, settling: Settling): Promise<GatewayRoute> => {
  const started: Program[] = []
  const close = async () => {
    for (const program of started.toReversed()) await program.stop()
  }
  const start = async (starting: Promise<Program>): Promise<Program> => {
    const program = await starting
    started.push(program)
    return program
  }
  try {
    const upstream = await start(startUpstream())
    const ours = await start(startOurs(bench, upstream.url, settling))
    const peer = await start(startPeer())
    const keys = await makeKeys(ours)
    const peerHeaders = {
      authorization: "Bearer sk-bench",
      "x-portkey-provider": "openai",
      "x-portkey-custom-host": `${upstream.url.origin}/v1`
    }
    const ask = (url: URL, path: string, headers: Readonly<Record<string, string>>) =>
      requestText(url, "POST", path, headers, body)
    const ofPeer = ask(peer.url, chatPath, peerHeaders)
    const ofUpstream = ask(upstream.url, chatPath, {})
    const ofOurs = keys.map((key) =>
      ask(ours.url, `${ours.url.pathname}/chat/completions`, { authorization: `Bearer ${key}` })
    )
    return {
      pids: { ours: ours.pid, peer: peer.pid },
      connect: async (connections) => ({
        ours: await openHttpLoad(ours.url, connections, (index) => ofOurs[index % keyCount] ?? ""),
        peer: await openHttpLoad(peer.url, connections, () => ofPeer),
        upstream: await openHttpLoad(upstream.url, connections, () => ofUpstream)
      }),
      close
    }
  } catch (cause) {
    await close()
    throw cause
  }
}
