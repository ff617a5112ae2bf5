/** What content filters see of a request, and what comes back of it. Rule: content-filters#actions. */
import { assert } from "@effect/vitest"
import type { World } from "../../World.ts"
import { ask, explained, openMarket, restrict } from "../admissionWorld.ts"
import type { Case } from "../../http/Case.ts"

const filtered =
  (policy: object, request: object, preset?: object): Case["run"] =>
  async (world) => {
    const { sonnet: model } = await openMarket(world)
    await restrict(world, { ...policy })
    if (preset !== undefined) await world.call("createPreset", { params: { slug: "seen" }, body: { model, ...preset } })
    return ask(world, { model: preset === undefined ? model : "@preset/seen", ...request })
  }

const ssn = (action: string) => ({ content_filter_builtins: [{ slug: "ssn", action }] })
const user = (content: unknown) => [{ role: "user", content }]
const tool = (description: string) => ({ type: "function", function: { name: "f", description } })
const githubToken = `ghp_${"a1B2c3".repeat(6)}`
const image = { type: "image_url", image_url: { url: "https://example.com/a.png" } }

/** Every way in which one number was told to a model past a filter. */
const evasions: Readonly<Record<string, object>> = {
  "zero-width characters": { messages: user("1\u200b23-4\u200b5-6789") },
  "full-width characters": { messages: user("１２３－４５－６７８９") },
  "soft hyphens": { messages: user("123-\u00ad45-\u00ad6789") },
  spaces: { messages: user("123 45 6789") },
  "two parts": {
    messages: user([
      { type: "text", text: "123-4" },
      { type: "text", text: "5-6789" }
    ])
  },
  markup: { messages: user("123-<b>45</b>-**6789**") },
  "what names the user": { messages: user("hi"), user: "123-45-6789" },
  metadata: { messages: user("hi"), metadata: { "123-45-6789": "1" } },
  "an unknown field of a message": { messages: [{ role: "user", content: "hi", notes: "123-45-6789" }] },
  "the description of a tool": { tools: [tool("of 123-45-6789")] },
  "the name of a parameter": {
    tools: [{ type: "function", function: { name: "f", parameters: { properties: { "123-45-6789": {} } } } }]
  },
  "a function": { functions: [{ name: "f", description: "123-45-6789" }] },
  "the format of the answer": { response_format: { type: "json_schema", json_schema: { description: "123-45-6789" } } },
  "a stop sequence": { stop: ["123-45-6789"] },
  "a prediction": { prediction: { type: "content", content: "123-45-6789" } },
  "an unknown field": { hint: { deep: ["123-45-6789"] } },
  "a text file": {
    messages: user([{ type: "file", file: { file_data: "data:text/plain;base64,MTIzLTQ1LTY3ODk=" } }])
  }
}

const denied: NonNullable<Case["check"]> = ({ json: { data } }) => {
  assert.deepInclude(data, { decision: "deny", status: 403, messages: null, fields: null })
  assert.strictEqual(data.error.message, "Request blocked by content filter: Social Security number")
}

export const filterCases: readonly Case[] = [
  ...Object.entries(evasions).map(([name, request]): Case => ({
    name: `a filter sees a number in ${name}`,
    status: 200,
    run: filtered(ssn("block"), request),
    check: denied
  })),
  {
    name: "the placeholder of a secret names its format, unless the filter has a label of its own",
    status: 200,
    run: async (world) => {
      const { sonnet: model } = await openMarket(world)
      const told = `use ${githubToken} or sk-${"a1B2".repeat(8)}`
      const redact = async (entry: object, fields: object = {}) => {
        await restrict(world, { content_filter_builtins: [{ slug: "secrets", action: "redact", ...entry }] })
        const { json } = await ask(world, { model, messages: user(told), ...fields })
        return json.data.messages[0].content as string
      }
      assert.strictEqual(await redact({ label: "[KEY]" }), "use [KEY] or [KEY]")
      const numbered = await redact({}, { reversible_redaction: true })
      assert.strictEqual(numbered, "use [SECRET:github-token_1] or [SECRET_1]")
      await restrict(world, { content_filter_builtins: [{ slug: "secrets", action: "redact" }] })
      return ask(world, { model, messages: user(told) })
    },
    check: ({ json }) => assert.strictEqual(json.data.messages[0].content, "use [SECRET:github-token] or [SECRET]")
  },
  {
    name: "fields that a model is sent come back after redaction, those that are passed on where they were redacted",
    status: 200,
    run: filtered(ssn("redact"), {
      messages: user("hi"),
      tools: [tool("of 123-45-6789"), tool("plain")],
      stop: "123-45-6789",
      a_field: { "123-45-6789": 1234567 },
      n: 1,
      user: "123-45-6789",
      session_id: "session",
      metadata: { of: "test" }
    }),
    check: ({ json: { data } }, world) => {
      assert.deepEqual(data.messages, user("hi"))
      assert.deepEqual(data.fields, {
        tools: [tool("of [SSN]"), tool("plain")],
        stop: "[SSN]",
        a_field: { "[SSN]": 1234567 },
        user: "[SSN]"
      })
      assert.deepEqual(data.findings, [
        { guardrail_id: world.default_guardrail_id, filter: "ssn", action: "redact", count: 4 }
      ])
    }
  },
  {
    name: "what a preset brings is seen, too, and comes back with the request's",
    status: 200,
    run: filtered(
      ssn("redact"),
      { messages: user("hi"), stop: ["end"] },
      { messages: [{ role: "system", content: "I am 123-45-6789" }], tools: [tool("of 123-45-6789")], temperature: 1 }
    ),
    check: ({ json: { data } }) => {
      assert.deepEqual(data.messages, [{ role: "system", content: "I am [SSN]" }, ...user("hi")])
      assert.deepEqual(data.fields, { tools: [tool("of [SSN]")], stop: ["end"] })
    }
  },
  {
    name: "what a redaction puts together is blocked, and explained",
    status: 200,
    run: async (world: World) => {
      const { sonnet: model } = await openMarket(world)
      const content_filters = [
        { pattern: "#[a-z]+#", action: "redact", label: "" },
        { pattern: "falcon", action: "block" }
      ]
      await restrict(world, { content_filters })
      const request = { model, messages: user("about fal#x#con") }
      const { json } = await explained(world, request)
      assert.deepEqual(
        json.data.smallest_change.map((edit: { readonly field: string }) => edit.field),
        ["content_filters"]
      )
      return ask(world, request)
    },
    check: ({ json: { data } }, world) => {
      assert.deepInclude(data, { decision: "deny", status: 403, messages: null, fields: null })
      assert.deepInclude(data.reasons[0], { guardrail_id: world.default_guardrail_id, field: "content_filters.1" })
    }
  },
  {
    name: "the name of a field is not redacted, but refused",
    status: 200,
    run: filtered(ssn("redact"), { messages: user("hi"), "123-45-6789": 1 }),
    check: denied
  },
  {
    name: "a file whose URL has two beginnings of its data is not read",
    status: 200,
    run: filtered(
      { ...ssn("block"), content_filter_unscannable: "block" },
      { messages: user([{ type: "file", file: { file_data: "data:text/plain,;base64,MTIzLTQ1LTY3ODk=" } }]) }
    ),
    check: ({ json: { data } }) => assert.strictEqual(data.error.metadata.reason, "content_unscannable")
  },
  {
    name: "parts that no filter can look into are recorded",
    status: 200,
    run: filtered(ssn("block"), {
      messages: user([{ type: "text", text: "see" }, image, { ...image, type: "text", text: "" }])
    }),
    check: ({ json: { data } }, world) => {
      assert.strictEqual(data.decision, "allow")
      assert.deepEqual(data.findings, [
        { guardrail_id: world.default_guardrail_id, filter: "unscanned", action: "flag", count: 2 }
      ])
    }
  },
  {
    name: "parts that no filter can look into are blocked where a guardrail says so, and explained",
    status: 200,
    run: async (world: World) => {
      const { sonnet: model } = await openMarket(world)
      await restrict(world, { content_filter_unscannable: "block" })
      const request = { model, messages: user([image]) }
      const { json } = await explained(world, request)
      const at = { scope: "workspace", guardrail_id: world.default_guardrail_id, field: "content_filter_unscannable" }
      assert.deepInclude(json.data, { decision: "deny", status: 403 })
      assert.deepEqual(json.data.smallest_change, [{ ...at, from: "block", to: "allow" }])
      assert.deepEqual(json.data.findings, [
        { guardrail_id: world.default_guardrail_id, filter: "unscanned", action: "block", count: 1 }
      ])
      return ask(world, request)
    },
    check: ({ json: { data } }, world) => {
      assert.deepInclude(data, { decision: "deny", status: 403 })
      assert.deepEqual(data.reasons, [
        {
          scope: "workspace",
          guardrail_id: world.default_guardrail_id,
          field: "content_filter_unscannable",
          value: "block"
        }
      ])
      assert.deepInclude(data.error.metadata, { filter: "unscanned", parts: ["image_url"] })
    }
  }
]
