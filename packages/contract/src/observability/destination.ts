/**
 * Observability destinations: services of third parties to which recorded usage is delivered.
 *
 * Rule: observability#destinations, observability#masked-configs.
 */
import * as z from "zod"
import { dataOf, Deleted, keyHash, listOf, page, Region, timestamp, uuid } from "../primitives.ts"
import { manyOf } from "../manyOf.ts"
import { json, operation, optionalJson } from "../operation.ts"
import { partOfConfig } from "../partOfConfig.ts"
import type { DestinationTypeOf } from "./destinationType.ts"
import { arize } from "./types/arize.ts"
import { braintrust } from "./types/braintrust.ts"
import { clickhouse } from "./types/clickhouse.ts"
import { datadog } from "./types/datadog.ts"
import { grafana } from "./types/grafana.ts"
import { langfuse } from "./types/langfuse.ts"
import { langsmith } from "./types/langsmith.ts"
import { newrelic } from "./types/newrelic.ts"
import { opik } from "./types/opik.ts"
import { otelCollector } from "./types/otel-collector.ts"
import { posthog } from "./types/posthog.ts"
import { ramp } from "./types/ramp.ts"
import { s3 } from "./types/s3.ts"
import { sentry } from "./types/sentry.ts"
import { snowflake } from "./types/snowflake.ts"
import { weave } from "./types/weave.ts"
import { webhook } from "./types/webhook.ts"

/** Every destination type. All are of stable release status. */
export const destinationTypes = [
  arize,
  braintrust,
  clickhouse,
  datadog,
  grafana,
  langfuse,
  langsmith,
  newrelic,
  opik,
  otelCollector,
  posthog,
  ramp,
  s3,
  sentry,
  snowflake,
  weave,
  webhook
] as const satisfies readonly DestinationTypeOf[]

type DestinationTypes = typeof destinationTypes
export type DestinationType = DestinationTypes[number]["type"]

/** How many destinations of one type a workspace can have (Rule: observability#destinations-of-one-type). */
export const destinationsPerType = 5

const fields = [
  "model",
  "provider",
  "session_id",
  "user_id",
  "api_key_name",
  "finish_reason",
  "input",
  "output",
  "total_cost",
  "total_tokens",
  "prompt_tokens",
  "completion_tokens"
] as const

const operators = [
  "equals",
  "not_equals",
  "contains",
  "not_contains",
  "regex",
  "starts_with",
  "ends_with",
  "gt",
  "lt",
  "gte",
  "lte",
  "exists",
  "not_exists"
] as const

const filterRules = z.object({
  enabled: z.boolean().default(true),
  groups: manyOf(
    z.object({
      logic: z.enum(["and", "or"]).default("and"),
      rules: manyOf(
        z.object({
          field: z.enum(fields),
          operator: z.enum(operators),
          value: z.union([z.string(), z.number()], { error: "Expected a string or a number" }).optional()
        })
      )
    })
  )
})

/** Which events are delivered: those that pass every group. A `regex` is of the syntax of content filters. */
export const DestinationFilterRules = filterRules.meta({ id: "DestinationFilterRules" })
export type DestinationFilterRules = z.output<typeof DestinationFilterRules>

/** The same as it is sent, when the defaults may be left out. */
const CreateDestinationFilterRules = filterRules.meta({ id: "CreateDestinationFilterRules" })

type Variant<T, Common extends z.ZodRawShape> =
  T extends DestinationTypeOf<infer Type, infer Config>
    ? z.ZodObject<Common & { type: z.ZodLiteral<Type>; config: Config }>
    : never

type Variants<Types extends readonly DestinationTypeOf[], Common extends z.ZodRawShape> = {
  -readonly [Index in keyof Types]: Variant<Types[Index], Common>
}

/** One object for each type: the common fields, and the type with its config. */
const forEachType = <Common extends z.ZodRawShape>(common: Common) =>
  z.discriminatedUnion(
    "type",
    destinationTypes.map(({ type, config }) =>
      z.object({ ...common, type: z.literal(type), config })
    ) as unknown as Variants<DestinationTypes, Common>,
    { error: `Expected one of ${destinationTypes.map(({ type }) => type).join(", ")}` }
  )

export const Destination = forEachType({
  id: uuid,
  workspace_id: uuid,
  name: z.string().nullable(),
  enabled: z.boolean(),
  privacy_mode: z.boolean(),
  sampling_rate: z.number(),
  api_key_hashes: z.array(keyHash).nullable(),
  filter_rules: DestinationFilterRules.nullable(),
  broadcast_generation_cost: z.boolean(),
  broadcast_generation_identity: z.boolean(),
  broadcast_generation_request_context: z.boolean(),
  regions: z.array(Region),
  created_at: timestamp,
  updated_at: timestamp
}).meta({ id: "Destination" })
export type Destination = z.output<typeof Destination>

const flag = z.boolean().nullish()

/** `eu` is another word for `europe`; each region counts once. */
const regions = manyOf(
  z.enum([...Region.options, "eu"]).transform((region): Region => (region === "eu" ? "europe" : region))
)
  .min(1)
  .overwrite((items) => [...new Set(items)])

const writable = {
  name: z.string().nullish(),
  enabled: flag,
  privacy_mode: flag,
  sampling_rate: z.number().min(0.0001).max(1).optional(),
  api_key_hashes: manyOf(keyHash).min(1).nullish(),
  filter_rules: CreateDestinationFilterRules.nullish(),
  broadcast_generation_cost: flag,
  broadcast_generation_identity: flag,
  broadcast_generation_request_context: flag,
  regions: regions.optional()
}

export const CreateDestination = forEachType({ ...writable, workspace_id: uuid.nullish() }).meta({
  id: "CreateDestination"
})
export type CreateDestination = z.output<typeof CreateDestination>

export const UpdateDestination = z
  .object({ ...writable, config: partOfConfig("Fields of the config of this type. Absent ones stay.").optional() })
  .meta({
    id: "UpdateDestination"
  })
export type UpdateDestination = z.output<typeof UpdateDestination>

const example: Destination = {
  id: "9c1e5b1a-0b3f-4a38-8f0e-2d9f6f0f6b7d",
  workspace_id: "0b6f4e9a-3f0e-4a5b-9d3c-6c1f2f0a7e11",
  name: "Traces",
  enabled: true,
  privacy_mode: true,
  sampling_rate: 0.25,
  api_key_hashes: null,
  filter_rules: {
    enabled: true,
    groups: [{ logic: "and", rules: [{ field: "total_cost", operator: "gte", value: 0.01 }] }]
  },
  broadcast_generation_cost: true,
  broadcast_generation_identity: false,
  broadcast_generation_request_context: false,
  regions: ["global"],
  created_at: "2026-01-05T09:30:00.000Z",
  updated_at: "2026-01-05T09:30:00.000Z",
  type: "langfuse",
  config: {
    publicKey: "pk-...mnop",
    secretKey: "sk-...mnop",
    baseUrl: "https://us.cloud.langfuse.com"
  }
}

export const listDestinations = operation({
  id: "listDestinations",
  method: "GET",
  path: "/observability/destinations",
  tag: "Observability",
  changes: "nothing",
  summary: "List the observability destinations of a workspace",
  description: "Sensitive values of `config` are masked.",
  access: "managementKey",
  workspaceOf: "named",
  query: z.object({ ...page, workspace_id: uuid.optional() }),
  success: { schema: listOf(Destination) },
  errors: [400, 401, 403, 500],
  example: { query: { limit: "10" }, response: { data: [example], total_count: 1 } }
})

export const createDestination = operation({
  id: "createDestination",
  method: "POST",
  path: "/observability/destinations",
  tag: "Observability",
  changes: { noun: "destination", action: "create" },
  summary: "Create an observability destination",
  description: `A workspace has at most ${destinationsPerType} destinations of a type. Sensitive values of \`config\` are encrypted, and masked in every answer. A restricted key without \`prompts\` has to send \`privacy_mode\` true.`,
  access: "managementKey",
  workspaceOf: "named",
  body: json(CreateDestination),
  success: { schema: dataOf(Destination), creates: true },
  errors: [400, 401, 403, 409, 500],
  example: {
    body: {
      type: "langfuse",
      name: "Traces",
      privacy_mode: true,
      sampling_rate: 0.25,
      filter_rules: { groups: [{ rules: [{ field: "total_cost", operator: "gte", value: 0.01 }] }] },
      broadcast_generation_cost: true,
      config: {
        publicKey: "pk-lf-0123456789abcdefghijklmnop",
        secretKey: "sk-lf-0123456789abcdefghijklmnop"
      }
    },
    response: { data: example }
  }
})

const destinationParams = z.object({ id: uuid })

export const getDestination = operation({
  id: "getDestination",
  method: "GET",
  path: "/observability/destinations/:id",
  tag: "Observability",
  changes: "nothing",
  summary: "Get an observability destination",
  description: "Sensitive values of `config` are masked.",
  access: "managementKey",
  workspaceOf: "destination",
  params: destinationParams,
  success: { schema: dataOf(Destination) },
  errors: [401, 403, 404, 500],
  example: { params: { id: example.id }, response: { data: example } }
})

export const updateDestination = operation({
  id: "updateDestination",
  method: "PATCH",
  path: "/observability/destinations/:id",
  tag: "Observability",
  changes: { noun: "destination", action: "update" },
  summary: "Update an observability destination",
  description:
    "Absent fields stay, `null` clears, lists are replaced; type and workspace do not change. Fields of `config` replace the stored ones, each on its own; a value that is sent as it is shown, masked, stays. An address with another host needs the secrets in whole, and drops what waits for the destination and its dead letters. A restricted key without `prompts` may not change where, or of which requests, a destination receives bodies.",
  access: "managementKey",
  workspaceOf: "destination",
  params: destinationParams,
  body: optionalJson(UpdateDestination),
  success: { schema: dataOf(Destination) },
  errors: [400, 401, 403, 404, 500],
  example: {
    params: { id: example.id },
    body: {
      enabled: false,
      filter_rules: null,
      config: {
        publicKey: "pk-lf-0123456789abcdefghijklmnop",
        secretKey: "sk-lf-0123456789abcdefghijklmnop",
        baseUrl: "https://cloud.langfuse.com"
      }
    },
    response: {
      data: {
        ...example,
        enabled: false,
        filter_rules: null,
        config: { ...example.config, baseUrl: "https://cloud.langfuse.com" },
        updated_at: "2026-01-06T08:00:00.000Z"
      }
    }
  }
})

export const deleteDestination = operation({
  id: "deleteDestination",
  method: "DELETE",
  path: "/observability/destinations/:id",
  tag: "Observability",
  changes: { noun: "destination", action: "delete" },
  summary: "Delete an observability destination with its secrets",
  access: "managementKey",
  workspaceOf: "destination",
  params: destinationParams,
  success: { schema: Deleted },
  errors: [401, 403, 404, 500],
  example: { params: { id: example.id }, response: { deleted: true } }
})
