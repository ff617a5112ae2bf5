/** The APIs of the reference gateway beside `/chat/completions`, and how a test asks them. */
import { assert } from "@effect/vitest"
import { catalogEndpoint, catalogModel } from "@gatewarden/conformance/internal/model/catalogModel"
import type { ApiForm } from "@gatewarden/testkit/upstream/ApiForm"
import { messagesForm } from "@gatewarden/testkit/upstream/messagesForm"
import { responsesForm } from "@gatewarden/testkit/upstream/responsesForm"
import { gatewayUnderTest, type MadeKey } from "../gatewayUnderTest.ts"

export type Fields = Readonly<Record<string, unknown>>

/** One API: who speaks it, and the least that it is asked. */
export interface Spoken {
  readonly form: ApiForm
  readonly provider: "openai" | "anthropic"
  readonly asks: Fields
  /** How it names the limit of what is written. */
  readonly limit: string
}

export const responses: Spoken = {
  form: responsesForm,
  provider: "openai",
  asks: { model: "acme/sonnet", input: "hello", max_output_tokens: 100 },
  limit: "max_output_tokens"
}
export const messages: Spoken = {
  form: messagesForm,
  provider: "anthropic",
  asks: { model: "acme/sonnet", messages: [{ role: "user", content: "hello" }], max_tokens: 100 },
  limit: "max_tokens"
}
export const spoken = [responses, messages]

export const bodyOf = async (answer: Response): Promise<Fields> => {
  const body = await answer.text()
  assert.strictEqual(answer.status, 200, body)
  return JSON.parse(body) as Fields
}

/** Events of a stream, each named after its type. */
export const eventsOf = async (answer: Response): Promise<readonly Fields[]> => {
  assert.match(answer.headers.get("content-type") ?? "", /^text\/event-stream/, await answer.clone().text())
  const written = (await answer.text()).split("\n\n").filter((event) => event !== "")
  return written.map((event) => {
    const [, name, data = ""] = /^event: (.*)\ndata: (.*)$/.exec(event) ?? assert.fail(event)
    const read = JSON.parse(data) as Fields
    assert.strictEqual(read["type"], name)
    return read
  })
}

export const at = (value: unknown, ...path: readonly (string | number)[]): unknown =>
  path.reduce<unknown>(
    (found, name) => (typeof found === "object" && found !== null ? Reflect.get(found, name) : undefined),
    value
  )

export const errorOf = async (answer: Response) =>
  ((await answer.json()) as { readonly error: { readonly message: string; readonly metadata: Fields } }).error

export const dollars = (tokens: number): string => String(Number((tokens / 1000).toFixed(9)))

/** Call it in a test file, once, as `gatewayUnderTest`. */
export const dialectsUnderTest = () => {
  const under = gatewayUnderTest()
  const { manage, post } = under

  const send = (
    path: string,
    key: string,
    body: unknown,
    headers: Readonly<Record<string, string>> = { authorization: `Bearer ${key}` },
    signal: AbortSignal | null = null
  ) => post(path, { headers: { "content-type": "application/json", ...headers }, body: JSON.stringify(body), signal })

  const ask = ({ form: { path }, asks }: Spoken, key: MadeKey, fields: Fields = {}, signal?: AbortSignal) =>
    send(path, key.key, { ...asks, ...fields }, undefined, signal)

  const embed = (key: MadeKey, fields: Fields = {}) =>
    send("/embeddings", key.key, { model: "acme/sonnet", input: ["one", "two"], ...fields })

  const patchGuardrail = async (fields: object) => {
    const { data } = await manage("GET", "/workspaces/default")
    const { default_guardrail_id } = data as unknown as { readonly default_guardrail_id: string }
    await manage("PATCH", `/guardrails/${default_guardrail_id}`, fields)
  }

  const catalogOf = (fields: Parameters<typeof catalogEndpoint>[1]) =>
    manage("PUT", "/gateway/catalog", {
      models: [
        catalogModel("acme/sonnet", {
          endpoints: ["openai", "anthropic"].map((provider) => catalogEndpoint(provider, fields))
        })
      ]
    })

  return { ...under, ask, catalogOf, embed, patchGuardrail, send }
}
