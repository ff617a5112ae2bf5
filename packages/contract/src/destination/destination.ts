/**
 * Observability destinations: services of third parties to which recorded usage is delivered.
 *
 * Rule: observability#destinations, observability#masked-configs.
 */
import * as z from "zod"
import {
  createdAt,
  dataOf,
  Deleted,
  inWorkspace,
  keyHash,
  listOf,
  ofWorkspace,
  page,
  Region,
  updatedAt,
  uuid,
  workspaceId
} from "../primitives.ts"
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

/** Descriptions of fields that several schemas here have. */
const about = {
  config: "Address, credentials and options of the platform. The fields depend on `type`. Secrets are shown masked.",
  id: "Id of the destination.",
  name: "Name of the destination. `null`: none.",
  enabled: "Whether the destination receives usage. Default: `true`.",
  privacy_mode: "Whether inputs and outputs of requests are withheld from the destination. Default: `false`.",
  sampling_rate: "Share of the sessions that the destination receives, 0.0001 to 1. Default: 1.",
  api_key_hashes:
    "Hashes of the API keys whose usage the destination receives. `null`: all keys, and usage without a key.",
  filter_rules: "Conditions that an event must meet. `null`: none.",
  broadcast_generation_cost: "Whether events include their cost and its components. Default: `false`.",
  broadcast_generation_identity: "Whether events include the ids of workspace, user and API key. Default: `false`.",
  broadcast_generation_request_context:
    "Whether events include app, origin, country, region, modalities and tags. Default: `false`.",
  regions: "Data regions of the requests whose usage the destination receives. Default: `global` alone."
} as const

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
  enabled: z.boolean().default(true).describe("Whether the rules apply. `false`: every event passes."),
  groups: manyOf(
    z.object({
      logic: z
        .enum(["and", "or"])
        .default("and")
        .describe("`and`: all rules of the group must match. `or`: at least one."),
      rules: manyOf(
        z.object({
          field: z.enum(fields).describe("Field of the event to compare."),
          operator: z.enum(operators).describe("How the field is compared with `value`. `regex` takes RE2 syntax."),
          value: z
            .union([z.string(), z.number()], { error: "Expected a string or a number" })
            .optional()
            .describe("Value to compare with. `exists` and `not_exists` need none.")
        })
      ).describe("Rules of the group. A group without rules matches.")
    })
  ).describe("Groups of rules. Every group must match.")
})

export const DestinationFilterRules = filterRules.meta({
  id: "DestinationFilterRules",
  description: "Conditions on the events that a destination receives."
})
export type DestinationFilterRules = z.output<typeof DestinationFilterRules>

const CreateDestinationFilterRules = filterRules.meta({
  id: "CreateDestinationFilterRules",
  description: "Conditions on the events that a destination receives. Fields with a default may be left out."
})

type Variant<T, Common extends z.ZodRawShape> =
  T extends DestinationTypeOf<infer Type, infer Config>
    ? z.ZodObject<Common & { type: z.ZodLiteral<Type>; config: Config }>
    : never

type Variants<Types extends readonly DestinationTypeOf[], Common extends z.ZodRawShape> = {
  -readonly [Index in keyof Types]: Variant<Types[Index], Common>
}

type ForEachType<Common extends z.ZodRawShape> = z.ZodDiscriminatedUnion<Variants<DestinationTypes, Common>, "type">

/** One object for each type: the common fields, and the type with its config. */
const forEachType = <Common extends z.ZodRawShape>(common: Common): ForEachType<Common> =>
  z.discriminatedUnion(
    "type",
    destinationTypes.map(({ type, config }) =>
      z.object({
        ...common,
        type: z.literal(type).describe("Platform that the destination sends to."),
        config: config.describe(about.config)
      })
    ) as unknown as Variants<DestinationTypes, Common>,
    { error: `Expected one of ${destinationTypes.map(({ type }) => type).join(", ")}` }
  )

const shown = {
  id: uuid.describe(about.id),
  workspace_id: workspaceId,
  name: z.string().nullable().describe(about.name),
  enabled: z.boolean().describe(about.enabled),
  privacy_mode: z.boolean().describe(about.privacy_mode),
  sampling_rate: z.number().describe(about.sampling_rate),
  api_key_hashes: z.array(keyHash).nullable().describe(about.api_key_hashes),
  filter_rules: DestinationFilterRules.nullable().describe(about.filter_rules),
  broadcast_generation_cost: z.boolean().describe(about.broadcast_generation_cost),
  broadcast_generation_identity: z.boolean().describe(about.broadcast_generation_identity),
  broadcast_generation_request_context: z.boolean().describe(about.broadcast_generation_request_context),
  regions: z.array(Region).describe(about.regions),
  created_at: createdAt,
  updated_at: updatedAt
}

/** Declared by name: each operation would repeat all 17 types in its declaration. */
interface DestinationSchema extends ForEachType<typeof shown> {}

export const Destination: DestinationSchema = forEachType(shown).meta({
  id: "Destination",
  description: "A platform that receives recorded usage."
})
export type Destination = z.output<typeof Destination>

const flag = z.boolean().nullish()

/** `eu` is another word for `europe`; each region counts once. */
const regions = manyOf(
  z.enum([...Region.options, "eu"]).transform((region): Region => (region === "eu" ? "europe" : region))
)
  .min(1)
  .overwrite((items) => [...new Set(items)])

const writable = {
  name: z.string().nullish().describe(about.name),
  enabled: flag.describe(about.enabled),
  privacy_mode: flag.describe(about.privacy_mode),
  sampling_rate: z.number().min(0.0001).max(1).optional().describe(about.sampling_rate),
  api_key_hashes: manyOf(keyHash).min(1).nullish().describe(about.api_key_hashes),
  filter_rules: CreateDestinationFilterRules.nullish().describe(about.filter_rules),
  broadcast_generation_cost: flag.describe(about.broadcast_generation_cost),
  broadcast_generation_identity: flag.describe(about.broadcast_generation_identity),
  broadcast_generation_request_context: flag.describe(about.broadcast_generation_request_context),
  regions: regions.optional().describe(about.regions)
}

const creatable = { ...writable, workspace_id: inWorkspace }

interface CreateDestinationSchema extends ForEachType<typeof creatable> {}

export const CreateDestination: CreateDestinationSchema = forEachType(creatable).meta({
  id: "CreateDestination",
  description: "A new destination."
})
export type CreateDestination = z.output<typeof CreateDestination>

export const UpdateDestination = z
  .object({
    ...writable,
    config: partOfConfig("Fields of the config of this type. Absent ones stay.").optional().describe(about.config)
  })
  .meta({
    id: "UpdateDestination",
    description: "Changes of a destination. Absent fields stay."
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
  query: z.object({ ...page, workspace_id: ofWorkspace }),
  success: { schema: listOf(Destination), long: true },
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

const destinationParams = z.object({ id: uuid.describe(about.id) })

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
  success: { schema: dataOf(Destination), long: "entity" },
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
  success: { schema: dataOf(Destination), long: "entity" },
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
