/**
 * One config of each destination type, as it is sent with no more than it needs, and as it is shown.
 *
 * Rule: observability#destination-types, observability#masked-configs.
 */
import type { DestinationType } from "@gatewarden/contract/internal"

export interface ConfigFixture {
  /** Every required field and no other. */
  readonly sent: Readonly<Record<string, string>>
  readonly shown: Readonly<Record<string, string>>
  /** What else can be set, with values that are not the defaults. */
  readonly optional?: Readonly<Record<string, string>>
  /** Values that the fields refuse. */
  readonly refused?: readonly (readonly [field: string, value: unknown])[]
}

export const destinationConfigs: Readonly<Record<DestinationType, ConfigFixture>> = {
  arize: {
    sent: { apiKey: "ak-0123456789abcdefghijklmn", spaceKey: "space_0123456789abcdefghij", modelId: "prod" },
    shown: { apiKey: "ak-...klmn", spaceKey: "sp...ghij", modelId: "prod", baseUrl: "https://otlp.arize.com" },
    optional: { baseUrl: "https://arize.example.com" }
  },
  braintrust: {
    sent: { apiKey: "sk-0123456789abcdefghijklmn", projectId: "proj_0123456789abcdefghij" },
    shown: { apiKey: "sk-...klmn", projectId: "proj_0123456789abcdefghij", baseUrl: "https://api.braintrust.dev" },
    optional: { baseUrl: "" }
  },
  clickhouse: {
    sent: {
      host: "https://clickhouse.example.com:8123",
      database: "analytics",
      username: "default",
      password: "hunter2-0123456789abcdefghij"
    },
    shown: {
      host: "https://clickhouse.example.com:8123",
      database: "analytics",
      username: "default",
      password: "********",
      table: "GATEWARDEN_TRACES"
    },
    optional: { table: "TRACES" }
  },
  datadog: {
    sent: { apiKey: "0123456789abcdef0123456789abcdef", mlApp: "my-app" },
    shown: { apiKey: "01...cdef", mlApp: "my-app", url: "https://api.us5.datadoghq.com" },
    optional: { url: "https://api.datadoghq.eu" }
  },
  grafana: {
    sent: { apiKey: "glc_0123456789abcdefghijklmn", instanceId: "123456" },
    shown: { apiKey: "glc_...klmn", instanceId: "123456", baseUrl: "https://otlp-gateway-prod-us-west-0.grafana.net" },
    optional: { baseUrl: "https://grafana.example.com" }
  },
  langfuse: {
    sent: { publicKey: "pk-lf-0123456789abcdefghijkl", secretKey: "sk-lf-0123456789abcdefghijkl" },
    shown: { publicKey: "pk-...ijkl", secretKey: "sk-...ijkl", baseUrl: "https://us.cloud.langfuse.com" },
    optional: { baseUrl: "https://cloud.langfuse.com" }
  },
  langsmith: {
    sent: { apiKey: "lsv2_0123456789abcdefghijkl" },
    shown: { apiKey: "ls...ijkl", endpoint: "https://api.smith.langchain.com", project: "main" },
    optional: { endpoint: "https://eu.api.smith.langchain.com", project: "other", workspaceId: "ws-1" },
    refused: [["project", ""]]
  },
  newrelic: {
    sent: { licenseKey: "0123456789abcdefghijklmnopqrNRAL" },
    shown: { licenseKey: "01...NRAL", region: "us" },
    optional: { region: "eu", baseUrl: "https://otlp.jp.nr-data.net" },
    refused: [
      ["region", "ap"],
      ["baseUrl", ""]
    ]
  },
  opik: {
    sent: { apiKey: "opik-key-of-22-chars-x", workspace: "my-workspace", projectName: "prod" },
    shown: { apiKey: "...-x", workspace: "my-workspace", projectName: "prod" },
    optional: { baseUrl: "https://opik.example.com/api" },
    refused: [["baseUrl", ""]]
  },
  "otel-collector": {
    sent: { endpoint: "https://otel.example.com:4318" },
    shown: { endpoint: "https://otel.example.com:4318" }
  },
  posthog: {
    sent: { apiKey: "phc_0123456789abcdefghijklmn" },
    shown: { apiKey: "phc_...klmn", endpoint: "https://us.i.posthog.com" },
    optional: { endpoint: "https://eu.i.posthog.com" }
  },
  ramp: {
    sent: { apiKey: "rmp_0123456789abcdefghijklmn" },
    shown: { apiKey: "rmp_...klmn", baseUrl: "https://api.ramp.com/developer/v1/ai-usage/openrouter" },
    optional: { baseUrl: "https://ramp.example.com" }
  },
  s3: {
    sent: {
      bucketName: "traces",
      accessKeyId: "AKIA0123456789ABCDEFGHIJ",
      secretAccessKey: "0123456789abcdefghijklmnopqrstuvwxyzABCD"
    },
    shown: {
      bucketName: "traces",
      accessKeyId: "AK...GHIJ",
      secretAccessKey: "01...ABCD",
      prefix: "gatewarden-traces",
      pathTemplate: "{prefix}/{date}"
    },
    optional: {
      region: "eu-central-1",
      endpoint: "https://account.r2.example.com",
      prefix: "p",
      pathTemplate: "{prefix}/{year}/{apiKeyName}"
    },
    refused: [["endpoint", "not an address"]]
  },
  sentry: {
    sent: { dsn: "https://abc123@o0.ingest.sentry.io/0", otlpEndpoint: "https://o0.ingest.sentry.io/api/0/otlp" },
    shown: { dsn: "https://abc123@o0.ingest.sentry.io/0", otlpEndpoint: "https://o0.ingest.sentry.io/api/0/otlp" },
    refused: [
      ["dsn", "https://o0.ingest.sentry.io/0"],
      ["dsn", "http://abc123@o0.ingest.sentry.io/0"],
      ["dsn", "https://abc123@o0.ingest.sentry.io/project"]
    ]
  },
  snowflake: {
    sent: { account: "xy12345.us-east-1", token: "eyJ0123456789abcdefghijklmn" },
    shown: {
      account: "xy12345.us-east-1",
      token: "ey...klmn",
      database: "SNOWFLAKE_LEARNING_DB",
      schema: "PUBLIC",
      table: "GATEWARDEN_TRACES",
      warehouse: "COMPUTE_WH"
    },
    optional: { host: "https://snowflake.example.com", database: "D", schema: "S", table: "T", warehouse: "W" },
    refused: [
      ["account", "a".repeat(256)],
      ["account", ".us"],
      ["account", "a..b"],
      ["account", "a/b"],
      ["host", ""]
    ]
  },
  weave: {
    sent: { apiKey: "0123456789abcdef0123456789abcdef01234567", entity: "my-team", project: "prod" },
    shown: { apiKey: "01...4567", entity: "my-team", project: "prod", baseUrl: "https://trace.wandb.ai" },
    optional: { baseUrl: "https://weave.example.com" }
  },
  webhook: {
    sent: { url: "https://example.com/events" },
    shown: { url: "https://example.com/events", method: "POST" },
    optional: { method: "PUT" },
    refused: [
      ["method", "GET"],
      ["method", null]
    ]
  }
}
