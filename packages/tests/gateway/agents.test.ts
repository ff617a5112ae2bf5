/** The reference gateway before the calls of coding agents, as their documentation and sources have them: `recorded` names each. */
import { assert, describe, it } from "@effect/vitest"
import { call, streamsAs, text, thinking } from "@gatewarden/testkit/upstream/ApiForm"
import { messagesForm } from "@gatewarden/testkit/upstream/messagesForm"
import { responsesForm } from "@gatewarden/testkit/upstream/responsesForm"
import { type Recorded, recorded } from "./clients/recordedAgents.ts"
import { gatewayUnderTest, sharedKeys, usage } from "./gatewayUnderTest.ts"

const { budgetOf, manage, newKey, post, upstream } = gatewayUnderTest()

const send = ({ path, headers, body }: Recorded, key: string, more: object = {}) =>
  post(path, {
    headers: { ...headers, authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ ...body, ...more })
  })

const written = [thinking("I read it."), text("I read", " it."), call("Read", '{"file_path":', '"README.md"}')]

const typesOf = async (answer: Response): Promise<readonly string[]> => {
  const body = await answer.text()
  assert.strictEqual(answer.status, 200, body)
  return [...body.matchAll(/^event: (.*)$/gm)].map(([, type = ""]) => type)
}

const externalUser = async () => {
  const { data } = await manage("POST", "/analytics/query", {
    metrics: ["request_count"],
    dimensions: ["external_user"]
  })
  return (data as unknown as { readonly data: readonly { readonly external_user: string }[] }).data[0]?.external_user
}

describe("Claude Code", () => {
  const asked = recorded("claudeCode")

  it("is answered, with all that it asks sent on, and charged to its user", async () => {
    const key = await newKey({ limit: 100 })
    upstream.plays("anthropic", streamsAs(messagesForm, written, usage))
    const types = await typesOf(await send(asked, key.key))
    assert.deepEqual(
      types,
      messagesForm.events(written, usage).map((event) => Reflect.get(event as object, "type") as string)
    )
    const [sent] = upstream.calls()
    assert.deepEqual(sent?.body, { ...asked.body, model: "sonnet-2026" })
    assert.deepInclude(sent?.headers, {
      "x-api-key": sharedKeys.anthropic,
      "anthropic-version": asked.headers["anthropic-version"],
      "anthropic-beta": asked.headers["anthropic-beta"]
    })
    assert.notProperty(sent?.headers, "authorization")
    assert.notProperty(sent?.headers, "x-claude-code-session-id")
    assert.deepEqual(await budgetOf(key), { spent: "0.01", held: "0" })
    const { user_id } = asked.body["metadata"] as { readonly user_id: string }
    assert.strictEqual(await externalUser(), user_id)
  })

  it("is told that tokens are not counted here, and then counts by itself", async () => {
    const { key } = await newKey()
    const { model, messages, tools, system } = asked.body
    const body = { model, messages, tools, system }
    assert.strictEqual((await send({ ...asked, path: "/messages/count_tokens?beta=true", body }, key)).status, 404)
    assert.deepEqual(upstream.calls(), [])
  })
})

describe("Codex", () => {
  const asked = recorded("codex")

  it("is answered, with all that it asks sent on", async () => {
    const key = await newKey({ limit: 100 })
    upstream.plays("openai", streamsAs(responsesForm, written, usage))
    const types = await typesOf(await send(asked, key.key))
    assert.deepEqual(
      types,
      responsesForm.events(written, usage).map((event) => Reflect.get(event as object, "type") as string)
    )
    const [sent] = upstream.calls()
    // It names no limit.
    assert.deepEqual(sent?.body, { ...asked.body, model: "sonnet", max_output_tokens: 4096 })
    assert.strictEqual(sent?.headers.authorization, `Bearer ${sharedKeys.openai}`)
    assert.notProperty(sent?.headers, "conversation_id")
    assert.deepEqual(await budgetOf(key), { spent: "0.01", held: "0" })
  })

  it("gets the commands that it runs with what was redacted", async () => {
    const { data } = await manage("GET", "/workspaces/default")
    const { default_guardrail_id } = data as unknown as { readonly default_guardrail_id: string }
    await manage("PATCH", `/guardrails/${default_guardrail_id}`, {
      content_filter_builtins: [{ slug: "email", action: "redact" }]
    })
    const { key } = await newKey({ limit: 100 })
    const shell = {
      id: "lsh_1",
      type: "local_shell_call",
      call_id: "call_4",
      status: "completed",
      action: { type: "exec", command: ["mail", "[EMAIL_1]"] }
    }
    upstream.plays("openai", (_, response) =>
      response.end(JSON.stringify({ ...responsesForm.answer([], usage), output: [shell] }))
    )
    const answer = await send(asked, key, { stream: false, instructions: "Write to ada@example.com." })
    const { output } = (await answer.json()) as { readonly output: unknown }
    assert.deepEqual(upstream.calls()[0]?.body["instructions"], "Write to [EMAIL_1].")
    assert.deepEqual(output, [{ ...shell, action: { type: "exec", command: ["mail", "ada@example.com"] } }])
  })
})
