import { basic, type OtlpPlatformRules, startOtlpIntake } from "./OtlpIntake.ts"

const config = { apiKey: "0123456789loopback", entity: "my-team", project: "gateway" }

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return text
  }
}

/**
 * An object of attributes, as Weave makes it: a name with dots is a path, JSON is parsed before, and a value on the way is an error of the whole
 * request.
 *
 * Source: wandb/weave, `weave/trace_server/opentelemetry/helpers.py`
 */
export const nestedAttributes = (attributes: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> => {
  const root: Record<string, unknown> = {}
  for (const [key, value] of Object.entries(attributes)) {
    const parts = key.split(".")
    let at = root
    for (const part of parts.slice(0, -1)) {
      const next = (at[part] ??= {})
      if (typeof next !== "object" || next === null || Array.isArray(next)) throw new Error(`${key} is below a value`)
      at = next as Record<string, unknown>
    }
    at[parts.at(-1) ?? ""] = typeof value === "string" && /^[[{]/.test(value) ? parsed(value) : value
  }
  return root
}

/** Source: https://docs.wandb.ai/weave/guides/tracking/otel */
const rules: OtlpPlatformRules<"weave"> = {
  type: "weave",
  config: (baseUrl) => ({ ...config, baseUrl }),
  path: "/otel/v1/traces",
  contentTypes: ["application/x-protobuf"],
  unauthorized: (headers) =>
    !basic(headers, "api", config.apiKey) || headers["wandb-api-key"] !== config.apiKey
      ? { status: 401 }
      : headers["project_id"] === `${config.entity}/${config.project}`
        ? undefined
        : { status: 400, body: '{"detail":"project_id"}' },
  mostBytes: 20 * 1024 * 1024,
  spanFault: ({ resource, attributes }) => {
    if (resource["wandb.entity"] !== config.entity || resource["wandb.project"] !== config.project)
      return "The resource names no project"
    try {
      nestedAttributes(attributes)
      return undefined
    } catch (error) {
      return String(error)
    }
  },
  accepted: { status: 200 }
}

export const startWeave = startOtlpIntake(rules)
