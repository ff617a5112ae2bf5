/** What a PATCH makes of a config. Rule: observability#merged-configs. */
import type { DestinationType } from "@gatewarden/contract/internal"
import { assert } from "@effect/vitest"
import type { Case } from "../../http/Case.ts"
import { nowIn } from "../../key/keyStates.ts"
import type { World } from "../../World.ts"
import { destinationConfigs } from "../destinationConfigs.ts"
import { storedConfig } from "../storedConfig.ts"

const make = async (world: World, type: DestinationType, config: object) =>
  (await world.call("createDestination", { body: { type, config } })).json.data

const patch = (world: World, id: string, config: unknown) =>
  world.call("updateDestination", { params: { id }, body: { config } })

/** The config that is kept is `kept`; the time moves exactly where that is another one. */
const merging = (name: string, type: DestinationType, before: object, sent: object, kept: object): Case => ({
  name,
  status: 200,
  run: async (world) => {
    const made = await make(world, type, before)
    const whole = await storedConfig(world, made.id)
    world.installation.clock.now += 1000
    const answer = await patch(world, made.id, sent)
    assert.strictEqual(answer.status, 200, answer.text)
    assert.deepEqual(await storedConfig(world, made.id), kept)
    const isChanged = JSON.stringify(whole) !== JSON.stringify(kept)
    assert.strictEqual(answer.json.data.updated_at, isChanged ? nowIn(world) : made.updated_at)
    const read = await world.call("getDestination", { params: { id: made.id } })
    assert.deepEqual(read.json.data, answer.json.data)
    return answer
  }
})

const refusing = (
  name: string,
  type: DestinationType,
  before: object,
  sent: unknown,
  paths: readonly string[],
  reason = "invalid_request"
): Case => ({
  name,
  status: 400,
  run: async (world) => {
    const made = await make(world, type, before)
    const whole = await storedConfig(world, made.id)
    const answer = await patch(world, made.id, sent)
    assert.deepEqual(await storedConfig(world, made.id), whole)
    assert.deepEqual((await world.call("getDestination", { params: { id: made.id } })).json.data, made)
    return answer
  },
  check: ({ json: { error } }) => {
    assert.strictEqual(error.metadata.reason, reason)
    assert.deepEqual(
      error.metadata.issues.map((issue: { path: string }) => issue.path),
      paths
    )
  }
})

const hook = (headers: object, url = "https://example.com/events") => ({ url, method: "POST", headers })
const secretKey = "sk-lf-zyxwvutsrqponmlkjihgfedcba"
const langfuse = destinationConfigs.langfuse.sent
const url = "https://user:pass@example.com/in?token=abcdefghijklmnopqrstuvwx1234"

export const mergedConfigCases: readonly Case[] = [
  {
    name: "of every type, sent back as it is shown: nothing changes",
    status: 200,
    run: async (world) => {
      const headers = { Authorization: "Bearer 0123456789abcdefghij", "X-Short": "a" }
      for (const type of Object.keys(destinationConfigs) as DestinationType[]) {
        const { sent, optional } = destinationConfigs[type]
        const made = await make(world, type, { ...sent, ...optional, headers })
        const before = await storedConfig(world, made.id)
        world.installation.clock.now += 1000
        const answer = await patch(world, made.id, made.config)
        assert.deepEqual(answer.json.data, made, type)
        assert.deepEqual(await storedConfig(world, made.id), before)
      }
      const made = await make(world, "webhook", hook(headers))
      return patch(world, made.id, made.config)
    }
  },
  merging(
    "a new secret, beside the mask of the other",
    "langfuse",
    langfuse,
    { publicKey: "pk-...ijkl", secretKey },
    { ...langfuse, secretKey, baseUrl: "https://us.cloud.langfuse.com" }
  ),
  merging(
    "a secret that is shown alike is another one",
    "langfuse",
    langfuse,
    { secretKey: "sk-lf-9876543210abcdefghijkl" },
    { ...langfuse, secretKey: "sk-lf-9876543210abcdefghijkl", baseUrl: "https://us.cloud.langfuse.com" }
  ),
  merging(
    "null removes a field, so that its default returns",
    "langsmith",
    { apiKey: secretKey, endpoint: "https://api.smith.langchain.com/eu", project: "other", workspaceId: "ws-1" },
    { endpoint: null, workspaceId: null },
    { apiKey: secretKey, endpoint: "https://api.smith.langchain.com", project: "other" }
  ),
  merging(
    "fields that the type does not have, or nobody, are ignored",
    "webhook",
    { url: "https://example.com/events" },
    JSON.parse('{"apiKey":"...","constructor":"...","__proto__":{"url":"x"},"endpoint":null}') as object,
    { url: "https://example.com/events", method: "POST" }
  ),
  merging(
    "headers replace headers, and each mask stands for its value",
    "webhook",
    hook({ "X-Old": "old", "X-Kept": "0123456789abcdefghijklmn", "X-Changed": "a" }),
    { headers: { "X-New": "new", "X-Kept": "01...klmn", "X-Changed": "b" } },
    hook({ "X-New": "new", "X-Kept": "0123456789abcdefghijklmn", "X-Changed": "b" })
  ),
  merging(
    "a header with a name of objects",
    "webhook",
    hook(JSON.parse('{"__proto__":"0123456789abcdefghijklmn","constructor":"a"}') as object),
    { headers: JSON.parse('{"__proto__":"01...klmn","constructor":"b"}') as object },
    hook(JSON.parse('{"__proto__":"0123456789abcdefghijklmn","constructor":"b"}') as object)
  ),
  merging("no headers", "webhook", hook({ "X-A": "a" }), { headers: {} }, hook({})),
  merging(
    "null headers",
    "webhook",
    hook({ "X-A": "a" }),
    { headers: null },
    { url: "https://example.com/events", method: "POST" }
  ),
  merging(
    "a URL as it is shown",
    "webhook",
    hook({}, url),
    { url: "https://...@example.com/in?token=ab...1234" },
    hook({}, url)
  ),
  merging(
    "a DSN, which is no secret",
    "sentry",
    destinationConfigs.sentry.sent,
    { dsn: "https://...@o0.ingest.sentry.io/1" },
    { ...destinationConfigs.sentry.sent, dsn: "https://...@o0.ingest.sentry.io/1" }
  ),
  {
    name: "of others who write at the same time nothing is lost",
    status: 200,
    run: async (world) => {
      const made = await make(world, "langsmith", { apiKey: secretKey })
      const parts = {
        endpoint: "https://api.smith.langchain.com/eu",
        project: "p",
        workspaceId: "w",
        apiKey: "ls_0123456789abcdefghijkl"
      }
      const answers = await Promise.all(
        Object.entries(parts).map(([field, value]) => patch(world, made.id, { [field]: value }))
      )
      for (const answer of answers) assert.strictEqual(answer.status, 200, answer.text)
      assert.deepEqual(await storedConfig(world, made.id), parts)
      return world.call("updateDestination", { params: { id: made.id }, body: {} })
    }
  },
  merging(
    "a new host, with the secrets in whole",
    "langfuse",
    langfuse,
    { ...langfuse, baseUrl: "https://langfuse.example.com" },
    { ...langfuse, baseUrl: "https://langfuse.example.com" }
  ),
  merging(
    "a new path of the same host",
    "langfuse",
    langfuse,
    { baseUrl: "https://us.cloud.langfuse.com/eu" },
    { ...langfuse, baseUrl: "https://us.cloud.langfuse.com/eu" }
  ),
  merging(
    "a new host without the headers of the old one",
    "webhook",
    hook({ "X-Token": "0123456789abcdefghijklmn" }),
    { url: "https://other.example/in", headers: { "X-New": "a" } },
    hook({ "X-New": "a" }, "https://other.example/in")
  ),
  refusing(
    "a new host without the secrets",
    "langfuse",
    langfuse,
    { baseUrl: "https://langfuse.example.com" },
    ["config.publicKey", "config.secretKey"],
    "secret_required"
  ),
  refusing(
    "a new host with a mask in place of a secret",
    "langfuse",
    langfuse,
    { publicKey: langfuse["publicKey"], secretKey: "sk-...ijkl", baseUrl: "https://langfuse.example.com" },
    ["config.secretKey"],
    "secret_required"
  ),
  refusing(
    "the same host without encryption",
    "clickhouse",
    destinationConfigs.clickhouse.sent,
    { host: "http://clickhouse.example.com:8123" },
    ["config.password"],
    "secret_required"
  ),
  refusing(
    "a new host with the headers of the old one",
    "webhook",
    hook({ "X-Token": "0123456789abcdefghijklmn" }),
    { url: "https://other.example/in" },
    ["config.headers"],
    "secret_required"
  ),
  refusing(
    "a new host with the mask of a header",
    "webhook",
    hook({ "X-Token": "0123456789abcdefghijklmn" }),
    { url: "https://other.example/in", headers: { "X-Token": "01...klmn" } },
    ["config.headers"],
    "secret_required"
  ),
  refusing(
    "another account",
    "snowflake",
    destinationConfigs.snowflake.sent,
    { account: "attacker.us-east-1" },
    ["config.token"],
    "secret_required"
  ),
  refusing(
    "a host in place of Snowflake's",
    "snowflake",
    destinationConfigs.snowflake.sent,
    { host: "https://snowflake.example.com" },
    ["config.token"],
    "secret_required"
  ),
  refusing(
    "null for the host of a proxy",
    "snowflake",
    { ...destinationConfigs.snowflake.sent, host: "https://snowflake.example.com" },
    { host: null },
    ["config.token"],
    "secret_required"
  ),
  refusing(
    "another account behind the same host",
    "snowflake",
    { ...destinationConfigs.snowflake.sent, host: "https://snowflake.example.com" },
    { account: "attacker.us-east-1" },
    ["config.token"],
    "secret_required"
  ),
  refusing(
    "an endpoint in place of Amazon's",
    "s3",
    destinationConfigs.s3.sent,
    { endpoint: "https://s3.example.com" },
    ["config.accessKeyId", "config.secretAccessKey"],
    "secret_required"
  ),
  refusing(
    "a host in place of Comet's",
    "opik",
    destinationConfigs.opik.sent,
    { baseUrl: "https://opik.example.com/api" },
    ["config.apiKey"],
    "secret_required"
  ),
  refusing(
    "a host in place of New Relic's",
    "newrelic",
    destinationConfigs.newrelic.sent,
    { baseUrl: "https://otlp.example.com" },
    ["config.licenseKey"],
    "secret_required"
  ),
  refusing(
    "null for an address, whose default is elsewhere",
    "datadog",
    { ...destinationConfigs.datadog.sent, url: "https://api.datadoghq.eu" },
    { url: null },
    ["config.apiKey"],
    "secret_required"
  ),
  refusing(
    "the mask of another secret",
    "langfuse",
    langfuse,
    { secretKey: "sk-...wxyz" },
    ["config.secretKey"],
    "masked_value"
  ),
  refusing(
    "masks of the public API",
    "langfuse",
    langfuse,
    { publicKey: "pk-l...ijkl", secretKey: "************...ijkl" },
    ["config.publicKey", "config.secretKey"],
    "masked_value"
  ),
  refusing(
    "asterisks that are fewer",
    "clickhouse",
    destinationConfigs.clickhouse.sent,
    { password: "*******" },
    ["config.password"],
    "masked_value"
  ),
  refusing(
    "the mask of a header that is not there, without its name",
    "webhook",
    hook({ "X-A": "a" }),
    { headers: { "X-B": "...", "X-C": "ab...cdef" } },
    ["config.headers"],
    "masked_value"
  ),
  refusing(
    "a URL that was edited between its masks",
    "webhook",
    hook({}, url),
    { url: "https://...@example.com/out?token=ab...1234" },
    ["config.url"],
    "masked_value"
  ),
  refusing(
    "a URL with the mask of a query",
    "webhook",
    hook({}),
    { url: "https://a.example/?token=..." },
    ["config.url"],
    "masked_value"
  ),
  refusing("null for what it cannot do without", "langfuse", langfuse, { secretKey: null }, ["config.secretKey"]),
  refusing("an empty secret", "langfuse", langfuse, { secretKey: "" }, ["config.secretKey"]),
  refusing("a method of another kind", "webhook", hook({}), { method: "GET" }, ["config.method"]),
  refusing("headers with a line break", "webhook", hook({}), { headers: { A: "b\r\nc" } }, ["config.headers"]),
  refusing("headers in a list", "webhook", hook({}), { headers: ["..."] }, ["config.headers"]),
  refusing("a null config", "webhook", hook({}), null, ["config"]),
  refusing("a config in a list", "webhook", hook({}), [], ["config"])
]
