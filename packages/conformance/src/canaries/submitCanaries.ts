/**
 * Submits secrets to every operation that takes one or could be sent one by mistake, in requests that succeed and requests
 * that fail, and keeps every answer.
 *
 * Source: decisions 4 and 6. What an operation declares is what it is sent, so a new operation is reached without a word here.
 */
import { destinationTypes, type OperationShape, operations } from "@gatewarden/contract"
import { assert } from "@effect/vitest"
import { createHash } from "node:crypto"
import { connect } from "node:net"
import { destinationConfigs } from "../http/destinationConfigs.ts"

export interface Submission {
  readonly request: string
  readonly status: number
  /** Headers and body. */
  readonly answer: string
  /** Secrets that this answer is there to show, this once and when it is repeated. */
  readonly shows: readonly string[]
}

export interface CanaryRun {
  readonly submissions: readonly Submission[]
  /** Keys and codes that were made on the way: secrets as well. */
  readonly issued: readonly string[]
}

export interface CanaryTarget {
  /** `http://HOST:PORT<base path>`. */
  readonly url: string
  readonly managementKey: string
  readonly canaries: readonly string[]
  /** Whether calls of upstream providers fail without leaving the machine, so that they can be made. */
  readonly providersFail?: boolean
}

type Expected = "accepted" | "refused" | "any" | number

interface Sent {
  readonly key?: string | null
  readonly headers?: Readonly<Record<string, string>>
  /** Text or form data is sent as it is, anything else as JSON. */
  readonly body?: unknown
  readonly shows?: readonly string[]
}

interface Answered {
  readonly status: number
  // oxlint-disable-next-line typescript/no-explicit-any -- the suites of the operations check shapes; here only secrets count
  readonly json: any
}

const nobody = "00000000-0000-4000-8000-000000000000"
const challengeOf = (verifier: string): string => createHash("sha256").update(verifier).digest("base64url")

const isExpected = (expected: Expected, status: number): boolean => {
  if (expected === "any") return status < 500
  if (expected === "accepted") return status < 300
  if (expected === "refused") return status >= 400 && status < 500
  return status === expected
}

export const submitCanaries = async ({
  url,
  managementKey,
  canaries,
  providersFail = false
}: CanaryTarget): Promise<CanaryRun> => {
  const submissions: Submission[] = []
  const issued = new Set<string>()
  let taken = 0
  let cycled = 0

  /** A secret that nothing else is sent with. */
  const take = (): string => {
    const canary = canaries[taken++]
    assert.isDefined(canary, "more canaries are needed")
    return canary ?? ""
  }
  /** One of those that are left, all of them in turn. */
  const any = (): string => canaries[taken + (cycled++ % (canaries.length - taken))] ?? ""

  const send = async (method: string, path: string, expected: Expected, sent: Sent = {}): Promise<Answered> => {
    const { key = managementKey, body } = sent
    const headers = new Headers(sent.headers)
    if (key !== null && !headers.has("authorization")) headers.set("authorization", `Bearer ${key}`)
    const raw = typeof body === "string" || body instanceof FormData
    if (body !== undefined && !(body instanceof FormData) && !headers.has("content-type"))
      headers.set("content-type", "application/json")
    const response = await fetch(url + path, {
      method,
      headers,
      ...(body === undefined ? {} : { body: raw ? body : JSON.stringify(body) })
    })
    const text = await response.text()
    const isJson = response.headers.get("content-type")?.startsWith("application/json") && text !== ""
    const json = isJson ? JSON.parse(text) : undefined
    const shown = [json?.key, path.split("?", 1)[0] === "/auth/keys/code" ? json?.data?.id : undefined].filter(
      (secret): secret is string => typeof secret === "string"
    )
    for (const secret of shown) if (!canaries.includes(secret)) issued.add(secret)
    submissions.push({
      request: `${method} ${path} ${typeof body === "string" ? body : JSON.stringify(body)} ${JSON.stringify(sent.headers ?? {})}`,
      status: response.status,
      answer: `${[...response.headers].map((pair) => pair.join(": ")).join("\n")}\n\n${text}`,
      shows: [...shown.filter((secret) => issued.has(secret)), ...(sent.shows ?? [])]
    })
    assert.isTrue(
      isExpected(expected, response.status),
      `${method} ${path}: ${response.status} is not ${expected}: ${text}`
    )
    return { status: response.status, json }
  }

  /** Sends bytes as they are and takes whatever comes back; `cut` says at once that no more will come. */
  const sendRaw = (text: string, cut = false) =>
    new Promise<void>((resolve) => {
      const { hostname, port } = new URL(url)
      const socket = connect(Number(port), hostname)
      let received = ""
      socket.setEncoding("latin1").on("data", (part: string) => (received += part))
      socket.on("error", () => {})
      socket.once("close", () => {
        const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(received)?.[1] ?? 0)
        submissions.push({ request: text, status, answer: received, shows: [] })
        resolve()
      })
      if (cut) socket.end(text)
      else socket.write(text)
    })

  // ── credentials of upstream providers ──
  const upstream = async () => {
    const json = `{"type":"service_account","private_key":"${take()}"}`
    for (const [key, provider] of [
      [take(), "mistral"],
      [`sk-${take()}`, "groq"],
      [json, "google-vertex"]
    ] as const) {
      const headers = { "idempotency-key": `byok-${provider}` }
      const { json: made } = await send("POST", "/byok", "accepted", { body: { key, provider }, headers })
      await send("POST", "/byok", "accepted", { body: { key, provider }, headers })
      await send("POST", "/byok", 400, { body: { key: take(), provider }, headers })
      const path = `/byok/${made.data.id}`
      await send("PATCH", path, "accepted", { body: { key: take() } })
      await send("PATCH", path, "accepted", { body: { name: "renamed", token: any(), [any()]: any() } })
      for (const broken of [
        { name: 1 },
        { allowed_api_key_hashes: ["0".repeat(64)] },
        { is_byok_only: true, is_fallback: true }
      ])
        await send("PATCH", path, 400, { body: { key: any(), ...broken } })
    }
    const key = take()
    for (const broken of [
      { provider: any() },
      { provider: "openai", name: `${any()}${"x".repeat(256)}` },
      { provider: "openai", workspace_id: nobody },
      { provider: "openai", workspace_id: any() },
      { provider: "openai", allowed_api_key_hashes: [any()] },
      { provider: "openai", allowed_models: [{ [any()]: any() }] },
      { provider: "openai", key: [any()] },
      { provider: "openai", key: { secret: any() } },
      {}
    ])
      await send("POST", "/byok", 400, { body: { key, ...broken } })
    await send("PATCH", `/byok/${nobody}`, 404, { body: { key } })
    await send("GET", "/byok", "accepted")
  }

  // ── destinations ──
  const destinations = async () => {
    for (const { type, secrets } of destinationTypes) {
      const config = () => ({
        ...destinationConfigs[type].sent,
        ...Object.fromEntries(Object.keys(secrets).map((field) => [field, take()])),
        headers: { Authorization: `Bearer ${take()}`, "X-Api-Key": any() },
        token: any()
      })
      const headers = { "idempotency-key": `destination-${type}` }
      const body = { type, config: config(), password: any() }
      await send("POST", "/observability/destinations", "accepted", { body, headers })
      await send("POST", "/observability/destinations", "accepted", { body, headers })
      await send("POST", "/observability/destinations", 400, { body: { ...body, sampling_rate: any() } })
      const spoiled = { ...config(), headers: { Authorization: [any()], [`${any()} `]: any() } }
      await send("POST", "/observability/destinations", 400, { body: { type, config: spoiled } })
      await send("POST", "/observability/destinations", 400, { body: { type: any(), config: config } })
    }
    const hook = () => ({ type: "webhook", config: { url: "https://example.com", headers: { A: any() } } })
    for (let count = 1; count < 5; count++)
      await send("POST", "/observability/destinations", "accepted", { body: hook() })
    await send("POST", "/observability/destinations", 409, { body: hook() })
    await send("GET", "/observability/destinations", "accepted")
  }

  // ── API keys ──
  const apiKeys = async () => {
    const given = take()
    const body = { name: "given", external: { user: "end user", api_key: given }, token: any() }
    const headers = { "idempotency-key": "given-key" }
    await send("POST", "/keys", "accepted", { body, headers, shows: [given] })
    await send("POST", "/keys", "accepted", { body, headers, shows: [given] })
    await send("POST", "/keys", 400, { body })
    const damaged = { name: "damaged", external: { user: "end user", api_key: `gw-v1-${any()}` } }
    await send("POST", "/keys", 400, { body: damaged })
    await send("POST", "/keys", 400, { body: { name: "spoiled", limit: any(), external: { user: 1, api_key: any() } } })
    await send("POST", "/keys", "accepted", { body: { name: "made" }, headers: { "idempotency-key": "made-key" } })
    await send("POST", "/keys", "accepted", { body: { name: "made" }, headers: { "idempotency-key": "made-key" } })
    await send("GET", "/key", "accepted", { key: given })
    await send("GET", "/workspaces/default", "accepted", { key: given })
    await send("POST", "/byok", 403, { key: given, body: { key: any(), provider: "openai" } })
    await send("GET", "/key", "accepted")
  }

  // ── authorization codes ──
  const codes = async () => {
    let apps = 0
    const create = async (more: object, expected: Expected = "accepted") => {
      const body = { callback_url: `https://app-${++apps}.example.com/callback`, ...more }
      return (await send("POST", "/auth/keys/code", expected, { body })).json?.data?.id as string
    }
    const exchange = (expected: Expected, body: object) => send("POST", "/auth/keys", expected, { key: null, body })
    for (const method of ["plain", "S256"] as const) {
      const challenge = (verifier: string) => ({
        code_challenge: method === "plain" ? verifier : challengeOf(verifier),
        code_challenge_method: method
      })
      const verifier = take()
      const code = await create(challenge(verifier))
      await exchange("accepted", { code, code_verifier: verifier })
      await exchange(403, { code, code_verifier: verifier })
      const burnt = await create(challenge(take()))
      await exchange(403, { code: burnt, code_verifier: take() })
      await exchange(403, { code: burnt, code_verifier: any() })
      const unproven = await create(challenge(take()))
      await exchange(403, { code: unproven })
      const twice = { callback_url: "https://twice.example.com/", ...challenge(take()) }
      await create(twice)
      await create(twice, 409)
    }
    const headers = { "idempotency-key": "code" }
    const body = { callback_url: "https://again.example.com/", code_challenge: take(), code_challenge_method: "plain" }
    await send("POST", "/auth/keys/code", "accepted", { body, headers })
    await send("POST", "/auth/keys/code", "accepted", { body, headers })
    await create({ code_challenge: any(), code_challenge_method: "S256" }, 400)
    await create({ code_challenge: [any()] }, 400)
    await create({ callback_url: `https://user:${any()}@app.example.com/` }, 400)
    await create({ callback_url: `https://app.example.com/#${any()}` }, 400)
    await exchange(403, { code: take(), code_verifier: any() })
    await exchange(400, { code: [any()], code_verifier: { [any()]: any() } })
    await exchange(400, { verifier: any() })
  }

  // ── bodies of requests to models ──
  const traffic = async () => {
    const event = (id: string, more: object = {}) => ({
      id,
      created_at: new Date().toISOString(),
      model: "acme/sonnet",
      provider: "acme",
      prompt_tokens: 1,
      completion_tokens: 1,
      cost_usd: "0.1",
      input: { messages: [{ role: "user", content: any() }] },
      output: any(),
      api_key: any(),
      ...more
    })
    const post = (expected: Expected, body: unknown, type = "application/json") =>
      send("POST", "/gateway/usage-events", expected, { body, headers: { "content-type": type } })
    const lines = (...events: readonly unknown[]) => events.map((line) => JSON.stringify(line)).join("\n")
    const ndjson = "application/x-ndjson"
    await post("accepted", { events: [event("json-1"), event("json-1"), event("json-2")] })
    await post("accepted", lines(event("line-1"), event("line-2")), ndjson)
    // Long enough to wait in the database for its end.
    const many = (from: number) => Array.from({ length: 1_001 }, (_, index) => event(`many-${from + index}`))
    await post("accepted", lines(...many(0)), ndjson)
    await post(400, lines(...many(2_000), event("late", { created_at: any() })), ndjson)
    await post(400, `${lines(event("good"))}\n{"input":"${any()}"`, ndjson)
    for (const broken of [
      { created_at: "2999-01-01T00:00:00Z" },
      { created_at: any() },
      { cost_usd: any() },
      { workspace_id: nobody },
      { trace: any() },
      { classifiers: { [any()]: any() } }
    ])
      await post(400, { events: [event("refused", broken)] })
    await send("POST", "/analytics/query", "accepted", {
      body: { metrics: ["request_count"], filters: [{ field: "user", operator: "eq", value: any() }] },
      headers: { "idempotency-key": "query" }
    })
    for (const broken of [
      { metrics: [any()] },
      { dimensions: [any()] },
      { classifier_dimensions: { classifier_id: any(), dimensions: [any()] } },
      { filters: { [any()]: any() } },
      { granularity: any() }
    ])
      await send("POST", "/analytics/query", 400, { body: { metrics: ["request_count"], ...broken } })
    const chat = {
      model: "acme/sonnet",
      messages: [
        { role: "system", content: "Answer briefly." },
        { role: "user", content: any() }
      ],
      user: any(),
      session_id: any(),
      metadata: { key: any() },
      trace: { trace_id: any(), secret: any() },
      api_key: any()
    }
    const headers = { "x-session-id": any(), "idempotency-key": "preset" }
    await send("POST", "/presets/canary/chat/completions", "accepted", { body: chat, headers })
    await send("POST", "/presets/canary/chat/completions", "accepted", { body: chat, headers })
    await send("POST", `/presets/${any()}%21/chat/completions`, 400, { body: chat, headers })
    for (const broken of [
      { temperature: any() },
      { metadata: { [any()]: 1 } },
      { messages: [{ role: any(), content: any() }] }
    ])
      await send("POST", "/presets/canary/chat/completions", 400, { body: { ...chat, ...broken } })
    const form = new FormData()
    form.append("token", any())
    form.append(any(), new Blob(["content"]), "name.txt")
    await send("POST", "/files", 400, { body: form })
    await send("POST", "/files", 400, {
      body: `--${any()}\r\nContent-Disposition: form-data; name="${any()}"\r\n\r\n`,
      headers: { "content-type": `multipart/form-data; boundary=${any()}` }
    })
    await send("DELETE", `/files/${any()}?provider=anthropic`, 404)
  }

  /** A key that is on its way to where it belongs when that breaks. */
  const failingProvider = async () => {
    await send("POST", "/byok", "accepted", { body: { key: take(), provider: "anthropic" } })
    const form = new FormData()
    form.append("file", new Blob(["content"]), "name.txt")
    await send("POST", "/files?provider=anthropic", 502, { body: form })
    await send("GET", `/files/${any()}?provider=anthropic`, 502)
    await send("DELETE", `/files/${any()}?provider=anthropic`, 502)
  }

  // ── every operation, with secrets where none belong ──
  const misplaced = async (operation: OperationShape) => {
    const { method } = operation
    const pathWith = (value: (name: string) => string) =>
      operation.path.replace(/:([a-z_]+)/g, (_, name: string) => encodeURIComponent(value(name)))
    const params = operation.example.params ?? {}
    const path = pathWith((name) => params[name] ?? "x")
    const example = operation.body?.kind === "file" ? undefined : operation.example.body
    const body = example === undefined ? {} : { body: example }

    for (const authorization of [
      `Bearer ${any()}`,
      `Bearer gwm-v1-${any()}`,
      `Bearer gw-v1-${any()}0`,
      `Basic ${any()}`,
      `Bearer ${any()} ${any()}`,
      `Bearer ${any()}, Bearer ${any()}`,
      any()
    ])
      await send(method, path, operation.access === "anyone" ? "any" : 401, { headers: { authorization }, ...body })

    // Good requests with secrets in headers, and their repetitions.
    const headers = {
      "idempotency-key": any(),
      "x-api-key": any(),
      cookie: `session=${any()}`,
      "user-agent": any(),
      referer: `https://example.com/?key=${any()}`,
      "x-session-id": any(),
      "if-none-match": `"${any()}"`,
      "x-forwarded-host": any(),
      traceparent: `00-${any()}-${any()}-01`,
      b3: `${any()}-${any()}-1`,
      tracestate: `vendor=${any()}`,
      baggage: `key=${any()}`,
      accept: `text/${any()}`,
      "x-request-id": `${any()}!`
    }
    for (let time = 0; time < 2; time++) await send(method, path, "any", { headers, ...body })
    await send(method, path, "any", { headers: { "idempotency-key": `${any()} ` + any() }, ...body })

    const names = ["limit", "token", ...Object.keys(operation.query?.shape ?? {})]
    for (const query of [
      any(),
      ...names.map((name) => `${name}=${any()}`),
      `limit=${any()}&limit=${any()}`,
      `%zz${any()}`
    ])
      await send(method, `${path}?${query}`, "any", body)

    if (operation.params !== undefined)
      await send(method, pathWith(any), "refused", method === "GET" ? {} : { body: { key: any() } })
    await send(method, `${path}/${any()}`, "refused", body)
    await send(method, `/${any()}${path}?key=${any()}`, "refused", body)
    await send("OPTIONS", `${path}?key=${any()}`, 405)

    if (operation.body === undefined || method === "GET") return
    const secret = any()
    for (const text of [
      `{"key":"${secret}"`,
      `{"key":"${secret}","key":"${secret}"}`,
      `{"${secret}":1,"${secret}":2}`,
      `{"key":"${secret}\\u0000"}`,
      `{"key":${secret}}`,
      `"${secret}"`,
      `["${secret}"]`,
      `{"${secret}":"${secret}"}`
    ])
      await send(method, path, "refused", { body: text })
    for (const type of ["text/plain", `application/${any()}`, `application/json; charset=${any()}`])
      await send(method, path, "refused", { body: JSON.stringify({ key: any() }), headers: { "content-type": type } })
    if (operation.body.kind === "json" && operation.body.maxBytes <= 1_048_576)
      await send(method, path, 413, { body: `{"key":"${any()}${" ".repeat(operation.body.maxBytes)}` })
    if (typeof example !== "object" || example === null) return
    for (const field of Object.keys(example)) {
      await send(method, path, "refused", { body: { ...example, [field]: [[any()]] } })
      await send(method, path, "refused", { body: { ...example, [field]: [{ [any()]: any() }] } })
    }
  }

  // ── what is hardly HTTP ──
  const unreadable = async () => {
    const start = `POST ${new URL(url).pathname}/byok HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${any()}\r\n`
    const authorized = start.replace(/Bearer .*/, `Bearer ${managementKey}`)
    const part = `{"provider":"openai","key":"${any()}`
    await sendRaw(`${start}${any()} without a colon\r\n\r\n`)
    await sendRaw(`${start}Host: ${any()}\r\nConnection: close\r\n\r\n`)
    await sendRaw(`${any()}\r\n\r\n`)
    await sendRaw(`${start}X-Long: ${any().repeat(1_000)}\r\n\r\n`)
    await sendRaw(`${authorized}Authorization: Bearer ${any()}\r\nConnection: close\r\n\r\n`)
    await sendRaw(`${authorized}Content-Type: application/json\r\nContent-Length: 500\r\n\r\n${part}`, true)
    await sendRaw(`${authorized}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n${any()}\r\n`)
  }

  await upstream()
  await destinations()
  await apiKeys()
  await codes()
  await traffic()
  if (providersFail) await failingProvider()
  for (const operation of operations) await misplaced(operation)
  await unreadable()
  assert.isAtLeast(cycled, canaries.length - taken, "canaries were left over")
  return { submissions, issued: [...issued] }
}
