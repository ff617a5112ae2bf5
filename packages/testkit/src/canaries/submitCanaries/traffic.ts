/** Bodies of requests to models, as usage events, presets and files carry them. */
import { type CanarySender, type Expected, nobody } from "../CanarySender.ts"

export const traffic = async ({ send, any }: CanarySender): Promise<void> => {
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
