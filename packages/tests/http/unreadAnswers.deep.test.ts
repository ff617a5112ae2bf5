/**
 * The largest pages of every list, asked for by many clients that read nothing, do not end a small server: it refuses further long answers
 * and answers the others (Rule: requests#lists, requests#answers-in-flight).
 */
import { once } from "node:events"
import { connect, type Socket } from "node:net"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { type OperationId, type OperationShape, operations } from "@gatewarden/contract"
import type * as z from "zod"
import { destinationConfigs } from "@gatewarden/conformance/internal/destination/destinationConfigs"
import { callServer } from "@gatewarden/testkit/server/callServer"
import { eventually } from "@gatewarden/testkit/server/eventually"
import { managementKey, type ServerProcess, startServerProcess } from "@gatewarden/testkit/server/serverProcess"

const heapMiB = 512
const readers = 50
/** Buffers of the sockets on both sides take some pages. */
const pagesEach = 2
/** Of about 900 kB each, so that five exceed a page. */
const entries = 5
const entryBytes = 900_000
const maxPageBytes = 4_194_304

/** What is asked for: below the base path, with the names of what `fill` makes. */
interface List {
  readonly target: string
  /** The entries, if they fill a page. The entries of other lists are short. */
  readonly long?: (json: Json) => readonly unknown[]
  /** Its pages end by something else than bytes. */
  readonly endsOtherwise?: true
  /** Tried on the embedded store, which reads in turns of the event loop; others on the one in memory, which takes a fraction of the time. */
  readonly embedded?: true
}

// oxlint-disable-next-line typescript/no-explicit-any -- tests look into answers freely
type Json = any

const data = ({ data }: Json) => data
const resources = ({ Resources }: Json) => Resources

const page = "limit=100"

/** Every list has a row. */
const lists: Partial<Record<OperationId, List>> = {
  listDestinations: { target: `/observability/destinations?${page}`, long: data },
  listDeliveries: { target: `/observability/destinations/{destination}/deliveries?${page}` },
  listDeadLetters: { target: `/observability/destinations/{destination}/dead-letters?${page}` },
  listFederationPolicies: { target: `/gateway/federation-policies?${page}` },
  listGuardrails: { target: `/guardrails?${page}`, long: data, embedded: true },
  listGuardrailKeyAssignments: { target: `/guardrails/{guardrail}/assignments/keys?${page}` },
  listKeyAssignments: { target: `/guardrails/assignments/keys?${page}` },
  listGuardrailMemberAssignments: { target: `/guardrails/{guardrail}/assignments/members?${page}` },
  listMemberAssignments: { target: `/guardrails/assignments/members?${page}` },
  listByokCredentials: { target: `/byok?${page}`, long: data },
  getUserActivity: { target: "/activity" },
  listFiles: { target: "/files?limit=1000" },
  getRankingsDaily: { target: "/datasets/rankings-daily" },
  getAppRankings: { target: "/datasets/app-rankings?limit=100" },
  getSessionCost: { target: "/datasets/session-cost?limit=100" },
  listModels: { target: "/models?output_modalities=all", long: data, embedded: true },
  listUserModels: { target: "/models/user?output_modalities=all&limit=1000", long: data, embedded: true },
  listEmbeddingModels: { target: "/embeddings/models?limit=1000", long: data, embedded: true },
  listImageModels: { target: "/images/models", long: data, endsOtherwise: true, embedded: true },
  listImageModelEndpoints: {
    target: "/images/models/{wide}/endpoints",
    long: ({ endpoints }) => endpoints,
    endsOtherwise: true
  },
  listVideoModels: { target: "/videos/models", long: data, endsOtherwise: true, embedded: true },
  listProviders: { target: "/providers", long: data, endsOtherwise: true, embedded: true },
  listPrivateEndpoints: { target: "/private-endpoints" },
  listPrivateProviders: { target: "/private-providers" },
  listEndpoints: {
    target: "/models/{wide}/endpoints",
    long: (json) => json.data.endpoints,
    endsOtherwise: true,
    embedded: true
  },
  listZdrEndpoints: { target: "/endpoints/zdr", long: data, endsOtherwise: true, embedded: true },
  listPresets: { target: `/presets?${page}` },
  listPresetVersions: { target: `/presets/long/versions?${page}`, long: data },
  listWorkspaces: { target: `/workspaces?${page}` },
  listWorkspaceBudgets: { target: "/workspaces/default/budgets" },
  listWorkspaceMembers: { target: `/workspaces/default/members?${page}` },
  listOrganizationMembers: { target: `/organization/members?${page}` },
  listExternalUsers: { target: `/external-users?${page}` },
  listGroupMappings: { target: `/scim/group-mappings?${page}` },
  listMappableGroups: { target: `/scim/groups?${page}` },
  listDirectoryUsers: { target: "/scim/v2/Users?count=200", long: resources },
  listDirectoryGroups: { target: "/scim/v2/Groups?count=200" },
  listScimResourceTypes: { target: "/scim/v2/ResourceTypes" },
  listScimSchemas: { target: "/scim/v2/Schemas" },
  listKeys: { target: "/keys" },
  listManagementKeys: { target: `/gateway/management-keys?${page}` },
  listErasures: { target: `/gateway/erasures?${page}` },
  listBudgetWarnings: { target: `/gateway/budget-warnings?${page}` },
  listAlertChannels: { target: `/gateway/alert-channels?${page}` },
  listAlerts: { target: `/gateway/alerts?${page}` },
  getAuditLog: { target: `/gateway/audit-log?${page}&noun=guardrail`, long: data }
}

/** Whether entries are in a field of the answer, or of its `data`: objects of the caller's making. */
const isList = ({ method, success }: OperationShape): boolean => {
  const fieldsOf = (schema: z.core.$ZodType | undefined) =>
    (schema?._zod.def as { readonly shape?: Readonly<Record<string, z.core.$ZodType>> } | undefined)?.shape ?? {}
  const fields = fieldsOf(success.schema)
  const isArray = (schema: z.core.$ZodType | undefined) => schema?._zod.def.type === "array"
  return (
    method === "GET" &&
    [fields["data"], fields["Resources"], fields["endpoints"], fieldsOf(fields["data"])["endpoints"]].some(isArray)
  )
}

let server: ServerProcess
let key: string
const made = { destination: "", guardrail: "", wide: "acme/wide" }

const create = async (method: string, target: string, body: unknown, bearer = managementKey) => {
  const { status, json } = await callServer(server.url, method, target, { body, key: bearer })
  assert.isBelow(status, 300, `${target}: ${JSON.stringify(json).slice(0, 1_000)}`)
  return json
}

const endpoint = (tag: string, texts: number) => ({
  name: "Acme",
  provider_name: "Acme",
  provider_slug: `acme-${tag}`,
  provider_info: { terms_of_service_url: `https://acme.example.com/${"t".repeat(1_500)}` },
  tag: `acme-${tag}`,
  context_length: 1_000,
  pricing: { prompt: "0", completion: "0" },
  supported_parameters: Array.from({ length: texts }, (_, index) => `${"p".repeat(240)}-${index}`),
  zero_data_retention: true
})

/** A catalog of 16 MB: many long models, and one with as many endpoints as it may have. */
const catalog = () => ({
  models: Array.from({ length: 150 }, (_, index) => ({
    id: index === 0 ? made.wide : `acme/long-${index}`,
    name: "Model",
    created: 1,
    description: "d".repeat(48_000),
    architecture: { input_modalities: ["text"], output_modalities: ["text", "image", "video", "embeddings"] },
    endpoints: Array.from({ length: index === 0 ? 1_000 : 1 }, (_, tag) => endpoint(`${index}-${tag}`, 8))
  }))
})

const start = async (url: string) => {
  server = await startServerProcess({
    environment: { DATABASE_URL: url, NODE_OPTIONS: `--max-old-space-size=${heapMiB}` }
  })
  key = (await create("POST", "/keys", { name: "reader" })).key
  const content = "x".repeat(entryBytes)
  const content_filters = Array.from({ length: 90 }, () => ({ pattern: "x".repeat(9_960), action: "block" }))
  const schema = "urn:ietf:params:scim:schemas:core:2.0:"
  for (let index = 0; index < entries; index++) {
    await create("POST", "/presets/long/chat/completions", { messages: [{ role: "system", content }] }, key)
    made.guardrail = (await create("POST", "/guardrails", { name: `long ${index}`, content_filters })).data.id
    // A workspace has five of a type.
    const kind = index % 2 === 0 ? ("webhook" as const) : ("langfuse" as const)
    const destination = { type: kind, name: content, enabled: false, config: destinationConfigs[kind].sent }
    made.destination = (await create("POST", "/observability/destinations", destination)).data.id
  }
  const members: { readonly value: string }[] = []
  const entitlements = Array.from({ length: 60 }, (_, index) => ({ value: `${index}${"語".repeat(1_000)}` }))
  for (let index = 0; index < 24; index++) {
    const user = { schemas: [`${schema}User`], userName: `user-${index}`, entitlements }
    members.push({ value: (await create("POST", "/scim/v2/Users", user)).id })
  }
  for (let index = 0; index < 20; index++)
    await create("POST", "/scim/v2/Groups", { schemas: [`${schema}Group`], displayName: `group-${index}`, members })
  const allowed_models = Array.from({ length: 100 }, (_, index) => `${index}/${"語".repeat(250)}`)
  for (let index = 0; index < 60; index++)
    await create("POST", "/byok", {
      provider: "groq",
      key: "gsk-0123456789",
      allowed_models
    })
  await create("PUT", "/gateway/catalog?account=own", catalog())
}

/** Asks for pages, one behind the other, and reads nothing of them. */
const ask = async (target: string, bearer: string): Promise<Socket> => {
  const { hostname, port, pathname } = new URL(server.url)
  const socket = connect(Number(port), hostname)
  socket.on("error", () => {})
  await once(socket, "connect")
  socket.pause()
  socket.write(
    `GET ${pathname}${target} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${bearer}\r\n\r\n`.repeat(pagesEach)
  )
  return socket
}

it("every list is tried", () => {
  assert.sameMembers(
    Object.keys(lists),
    operations.filter(isList).map(({ id }) => id)
  )
})

for (const [store, url] of Object.entries({ embedded: "", memory: "memory:" }))
  describe(`${readers} clients that read nothing of the largest pages, on a heap of ${heapMiB} MiB and the ${store} store`, () => {
    beforeAll(() => start(url), 120_000)
    afterAll(() => server?.stop())

    for (const [operation, { target, long, endsOtherwise, embedded = false }] of Object.entries(lists)) {
      if (embedded !== (store === "embedded")) continue
      it(`leave the server to others: ${operation}`, { timeout: 120_000 }, async () => {
        const path = target.replace(/\{(\w+)\}/g, (_, name: keyof typeof made) => made[name])
        const bearer = operations.find(({ id }) => id === operation)?.access === "managementKey" ? managementKey : key
        const one = async () => {
          const response = await fetch(server.url + path, { headers: { authorization: `Bearer ${bearer}` } })
          const json: Json = await response.json()
          return { status: response.status, json, reason: (json.error ?? json).metadata?.reason }
        }
        const sockets = await Promise.all(Array.from({ length: readers }, () => ask(path, bearer)))
        try {
          if (long !== undefined)
            await eventually("a refusal of a further page", async () => {
              const { status, reason } = await one()
              return status === 503 && reason === "answers_in_flight" ? status : undefined
            })
          assert.strictEqual((await fetch(new URL("/livez", server.url))).status, 200)
          assert.strictEqual((await callServer(server.url, "GET", "/workspaces")).status, 200)
          assert.strictEqual((await callServer(server.url, "GET", "/key", { key })).status, 200)
        } finally {
          for (const socket of sockets) socket.destroy()
        }
        const read = await eventually("a page after the clients have gone", async () => {
          const { status, json, reason } = await one()
          return status === 200 || reason === "rate_limited" ? json : undefined
        })
        if (long !== undefined) {
          const bytes = Buffer.byteLength(JSON.stringify(long(read)))
          if (endsOtherwise) assert.isAbove(bytes, maxPageBytes / 16)
          else assert.isTrue(bytes > maxPageBytes / 2 && bytes < maxPageBytes + 1_000, `${bytes} bytes`)
        }
        assert.isNull(server.child.exitCode)
      })
    }
  })
