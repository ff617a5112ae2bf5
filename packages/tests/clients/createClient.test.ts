/** What a client sends and how it reads what comes back, without a server. */
import { assert, describe, it } from "@effect/vitest"
import { createClient, GatewardenError } from "@gatewarden/client"

const answering = (response: () => Response) => {
  const sent: Request[] = []
  const client = createClient({
    baseUrl: "https://gateway.test/api/v1/",
    key: "gwm-key",
    headers: { "X-Tenant": "one" },
    fetch: async (request) => {
      sent.push(request)
      return response()
    }
  })
  return { client, sent }
}

const failing = (status: number, body: string, headers: Record<string, string> = {}) =>
  answering(() => new Response(body, { status, headers })).client

const rejection = async (call: Promise<unknown>): Promise<unknown> => {
  try {
    await call
  } catch (cause) {
    return cause
  }
  return assert.fail("did not reject")
}

describe("a request", () => {
  it("has the path, the query, the key and the headers of its call", async () => {
    const { client, sent } = answering(() => Response.json({ data: [], total_count: 0 }))
    await client.listGuardrailKeyAssignments({
      params: { id: "0b786a5f-ee1e-4dfe-815e-7255431cc7a2" },
      query: { limit: 5, offset: undefined },
      headers: { "X-Tenant": undefined, "X-Other": "two" }
    })
    assert.strictEqual(
      sent[0]?.url,
      "https://gateway.test/api/v1/guardrails/0b786a5f-ee1e-4dfe-815e-7255431cc7a2/assignments/keys?limit=5"
    )
    assert.deepEqual(Object.fromEntries(sent[0]?.headers ?? []), { authorization: "Bearer gwm-key", "x-other": "two" })
  })

  it("escapes what stands in its path", async () => {
    const { client, sent } = answering(() => Response.json({ id: "x", type: "file_deleted" }))
    await client.deleteFile({ params: { file_id: "../keys?x" } })
    assert.strictEqual(sent[0]?.url, "https://gateway.test/api/v1/files/..%2Fkeys%3Fx")
  })

  it("is not sent to where a response redirects", async () => {
    const { client, sent } = answering(() => new Response("", { status: 307, headers: { location: "https://evil" } }))
    assert.deepInclude(await rejection(client.getCurrentKey()), { status: 307 })
    assert.strictEqual(sent[0]?.redirect, "manual")
  })

  it("is refused by name where its input is wrong", async () => {
    const { client, sent } = answering(() => Response.json({}))
    const refusals: readonly (readonly [() => Promise<unknown>, RegExp])[] = [
      [() => client.listKeys({ querry: {} } as never), /listKeys: querry is no option; did you mean query\?/],
      [() => client.createGuardrail({} as never), /createGuardrail: body is required/],
      [() => client.getGuardrail({ params: {} } as never), /getGuardrail: params\.id is required/],
      [() => client.uploadFile({ file: new Blob(["x"]) }), /uploadFile: filename is required/],
      [
        () => (client.call as (id: string) => Promise<unknown>)("createGuardrails"),
        /call: no operation is called createGuardrails/
      ]
    ]
    for (const [refused, message] of refusals) {
      const cause = await rejection(refused())
      assert.instanceOf(cause, TypeError)
      assert.match(String(cause), message)
    }
    assert.deepEqual(sent, [])
  })
})

describe("a response that is no success", () => {
  it("names status, reason, issues, request and when to try again", async () => {
    const metadata = {
      request_id: "r-1",
      reason: "rate_limited",
      doc_url: "errors/rate_limited",
      issues: [{ path: "a", code: "b", message: "c" }]
    }
    const body = JSON.stringify({ error: { code: 429, message: "Rate limit exceeded", metadata } })
    const error = await rejection(failing(429, body, { "retry-after": "7" }).getCurrentKey())
    assert.instanceOf(error, GatewardenError)
    assert.deepInclude(
      { ...error },
      {
        operation: "getCurrentKey",
        status: 429,
        reason: "rate_limited",
        docUrl: "https://gateway.test/api/v1/errors/rate_limited",
        issues: metadata.issues,
        requestId: "r-1",
        retryAfter: 7
      }
    )
    assert.strictEqual(error.message, "getCurrentKey: 429 Rate limit exceeded (a: c)")
  })

  it("may be of a proxy", async () => {
    const error = await rejection(failing(502, "<html>", { "x-request-id": "r-2" }).getCurrentKey())
    assert.instanceOf(error, GatewardenError)
    assert.deepInclude(
      { ...error },
      { status: 502, reason: undefined, docUrl: undefined, issues: [], requestId: "r-2" }
    )
  })
})

describe("options", () => {
  const refusals: readonly (readonly [unknown, RegExp])[] = [
    [undefined, /createClient: expected an object of options/],
    [{}, /createClient: expected fetch \(of an instance\) or baseUrl/],
    [{ baseURL: "http://x" }, /createClient: baseURL is no option; did you mean baseUrl\?/],
    [{ baseUrl: "x" }, /createClient: baseUrl must be an http or https URL/],
    [{ fetch: "x" }, /createClient: fetch must be a function/],
    [{ baseUrl: "http://x", key: 1 }, /createClient: key must be text/]
  ]
  for (const [given, message] of refusals)
    it(`are refused by name: ${JSON.stringify(given)}`, () => {
      assert.throws(() => createClient(given as never), message)
    })
})
