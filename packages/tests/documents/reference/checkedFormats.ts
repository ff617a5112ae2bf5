/** What the format of each destination type was checked against, and what its platform does not show. */
import type { DestinationType } from "@gatewarden/contract/internal"

/** Code or a document of the platform. */
export interface FormatSource {
  /** A repository (`owner/name`), a package of a registry, or the address of a page. */
  readonly of: string
  /** A release, a commit, or the day on which a page was read. */
  readonly version: string
  /** The files of a repository or package that read what Gatewarden sends. */
  readonly files?: readonly string[]
}

export interface CheckedFormat {
  readonly sources: readonly [FormatSource, ...FormatSource[]]
  /** What Gatewarden sends, or could send, and the platform does not show. Whole sentences. */
  readonly notShown: readonly string[]
}

/** A type without a row does not compile. */
export const checkedFormats: { readonly [Type in DestinationType]: CheckedFormat } = {
  arize: {
    sources: [
      { of: "@arizeai/openinference-semantic-conventions (npm)", version: "2.12.0" },
      { of: "Arize-ai/phoenix", version: "20.3.0, commit 9478f954bbc6", files: ["src/phoenix/trace/otel.py"] }
    ],
    notShown: [
      "The intake of Arize AX is not public. Phoenix reads the same names, but computes costs itself and ignores `llm.cost.total`."
    ]
  },
  braintrust: {
    sources: [
      {
        of: "braintrustdata/braintrust-spec",
        version: "commit 4908b3136cbd",
        files: [
          "semconv/span_attributes.yaml",
          "skills/instrumentation-spec/references/instrumentation-guide.md",
          "skills/instrumentation-spec/references/features/token-and-cost-metrics.md"
        ]
      },
      {
        of: "braintrustdata/braintrust-sdk-go",
        version: "commit 63142de71353",
        files: ["eval/eval.go", "trace/contrib/anthropic/traceanthropic.go"]
      },
      {
        of: "braintrustdata/braintrust-sdk-javascript",
        version: "commit 96a8132d9327",
        files: ["js/src/logger.ts"]
      },
      {
        of: "https://www.braintrust.dev/docs/integrations/sdk-integrations/opentelemetry/attributes",
        version: "page of 2026-11"
      }
    ],
    notShown: [
      "The intake of Braintrust is not public; its rules for clients are, and no registry has them.",
      "The parts of a cost are attributes in the metadata; only `estimated_cost` is a cost."
    ]
  },
  clickhouse: {
    sources: [
      {
        of: "ClickHouse/ClickHouse",
        version: "commit 05c37365dfc6",
        files: ["src/Processors/Formats/Impl/JSONEachRowRowInputFormat.cpp"]
      },
      {
        of: "ClickHouse/ClickHouse",
        version: "commit 014f1eb14577",
        files: ["src/DataTypes/Serializations/SerializationDecimal.cpp"]
      },
      { of: "ClickHouse/ClickHouse", version: "commit 001a38048f19", files: ["src/Server/HTTPHandler.cpp"] },
      { of: "ClickHouse/ClickHouse", version: "commit 0001433b8285", files: ["src/Common/ErrorCodes.cpp"] },
      { of: "@clickhouse/client (npm)", version: "1.23.1" }
    ],
    notShown: ["Fields for which the table has no column are skipped."]
  },
  datadog: {
    sources: [
      // Its package needs Node 22, and brings native parts for each platform: no test depends on it.
      {
        of: "DataDog/dd-trace-js",
        version: "6.21.0",
        files: [
          "packages/dd-trace/src/llmobs/constants/writers.js",
          "packages/dd-trace/src/llmobs/constants/tags.js",
          "packages/dd-trace/src/llmobs/span_processor.js"
        ]
      },
      {
        of: "DataDog/dd-trace-js",
        version: "commit 0157ecd6af09",
        files: ["packages/dd-trace/src/llmobs/span_processor.js"]
      },
      {
        of: "https://docs.datadoghq.com/llm_observability/instrumentation/api/",
        version: "page of 2026-11"
      }
    ],
    notShown: [
      "Datadog drops spans older than 24 hours: such an event becomes a dead letter.",
      "dd-trace writes to another address than the documented one, with `model_name` and `model_provider` beside the metadata."
    ]
  },
  grafana: {
    sources: [
      {
        of: "@opentelemetry/otlp-transformer (npm)",
        version: "0.208.0",
        files: ["build/src/generated/root.js"]
      },
      { of: "https://grafana.com/docs/grafana-cloud/send-data/otlp/send-data-otlp/", version: "page of 2026-11" }
    ],
    notShown: ["Tempo has no fields for tokens, cost and tags: they are attributes of the span."]
  },
  langfuse: {
    sources: [
      {
        of: "langfuse/langfuse",
        version: "4.16.0, commit 62751446149b",
        files: [
          "packages/shared/src/server/otel/OtelIngestionProcessor.ts",
          "packages/shared/src/server/otel/attributes.ts"
        ]
      },
      { of: "@langfuse/core (npm)", version: "5.11.1" }
    ],
    notShown: ["The parts of a cost are attributes in the metadata; only the total is a cost."]
  },
  langsmith: {
    sources: [
      {
        of: "langchain-ai/langsmith-collector-proxy",
        version: "commit 352bc8645a03",
        files: ["internal/translator/otel_converter.go"]
      },
      { of: "langchain-ai/langsmith-sdk", version: "commit bc8dd672a7b9", files: ["js/src/schemas.ts"] }
    ],
    notShown: [
      "The intake of LangSmith's cloud is not public; its collector proxy is.",
      "A comma divides tags, so a comma in a tag is sent as a space.",
      "The parts of a cost are not read; only the total is a cost."
    ]
  },
  newrelic: {
    sources: [
      {
        of: "@opentelemetry/otlp-transformer (npm)",
        version: "0.208.0",
        files: ["build/src/generated/root.js"]
      },
      {
        of: "https://docs.newrelic.com/docs/opentelemetry/best-practices/opentelemetry-otlp/",
        version: "page of 2026-11"
      }
    ],
    notShown: ["Spans have no fields for tokens, cost and tags: they are attributes."]
  },
  opik: {
    sources: [
      {
        of: "comet-ml/opik",
        version:
          "commits 1309fcb28d34, 4e4e66b64663 and ad476cc53978, and the later GenAI rules that read `gen_ai.usage.cost`",
        files: [
          "apps/opik-backend/src/main/java/com/comet/opik/domain/OpenTelemetryMapper.java",
          "apps/opik-backend/src/main/java/com/comet/opik/domain/mapping/OpenTelemetryMappingUtils.java",
          "apps/opik-backend/src/main/java/com/comet/opik/domain/mapping/otel/GenAIMappingRules.java",
          "apps/opik-backend/src/main/java/com/comet/opik/domain/mapping/otel/GeneralMappingRules.java"
        ]
      }
    ],
    notShown: ["A self-hosted Opik without the rule for `gen_ai.usage.cost` shows no cost."]
  },
  "otel-collector": {
    sources: [
      {
        of: "@opentelemetry/otlp-transformer (npm)",
        version: "0.208.0",
        files: ["build/src/generated/root.js"]
      },
      { of: "https://opentelemetry.io/docs/specs/otlp/", version: "page of 2026-11" },
      {
        of: "open-telemetry/semantic-conventions-genai",
        version: "0.1.0",
        files: ["docs/gen-ai/client-inference.md"]
      }
    ],
    notShown: []
  },
  posthog: {
    sources: [
      {
        of: "PostHog/posthog",
        version: "commit 08cfb57304f0",
        files: ["products/llm_analytics/frontend/llmAnalyticsTraceDataLogic.ts"]
      },
      {
        of: "PostHog/posthog",
        version: "commit 2fd1dae95360",
        files: ["nodejs/src/ingestion/ai/process-ai-event.ts"]
      },
      { of: "PostHog/posthog", version: "commit 116aadbfe231", files: ["nodejs/src/ingestion/ai/costs/index.ts"] },
      {
        of: "PostHog/posthog",
        version: "commit 84629dafacfe",
        files: ["nodejs/src/ingestion/ai/tools/extract-tool-calls.ts"]
      },
      { of: "posthog-node (npm)", version: "5.70.0" }
    ],
    notShown: [
      "Without cost, PostHog computes its own.",
      "PostHog computes the parts of a cost from its own prices; the total is the one that it receives.",
      "A span that `trace.span_name` adds is a property: PostHog shows one event for each request."
    ]
  },
  ramp: {
    sources: [{ of: "https://openrouter.ai/docs/guides/features/broadcast/ramp", version: "page of 2026-11" }],
    notShown: ["Ramp publishes neither code nor a reference of its intake."]
  },
  s3: {
    sources: [
      { of: "@smithy/signature-v4 (npm)", version: "5.7.5", files: ["dist-es/SignatureV4.js"] },
      { of: "https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutObject.html", version: "page of 2026-11" }
    ],
    notShown: []
  },
  sentry: {
    sources: [
      { of: "getsentry/relay", version: "commit 13f7a966f2a9", files: ["relay-event-normalization/src/eap/ai.rs"] },
      { of: "getsentry/relay", version: "commit c6a3c3b5d8fd", files: ["relay-spans/src/otel_to_sentry_v2.rs"] },
      { of: "@sentry/conventions (npm)", version: "0.33.0", files: ["dist/attributes.mjs"] },
      { of: "https://github.com/getsentry/sentry-docs/pull/19257", version: "2026-09-03" }
    ],
    notShown: [
      "Relay drops events of spans, lists and the message of a status: an error has its status and `error.type`.",
      "Spans have no tags. `trace.metadata.tags` is an attribute.",
      "A Relay of before September 2026 replaces the cost of a model that it knows by its own estimate."
    ]
  },
  snowflake: {
    sources: [
      {
        of: "snowflakedb/snowflake-rest-api-specs",
        version: "commit 47b9a0d2e691",
        files: ["specifications/sqlapi.yaml"]
      },
      { of: "https://docs.snowflake.com/en/developer-guide/sql-api/reference", version: "page of 2026-11" }
    ],
    notShown: [
      "Snowflake's own clients in registries use another API than the SQL API, and `retry` is only in its documentation."
    ]
  },
  weave: {
    sources: [
      {
        of: "wandb/weave",
        version: "commit 05f4d4dcad91",
        files: ["weave/trace_server/opentelemetry/python_spans.py"]
      },
      { of: "wandb/weave", version: "commit 00cf6097359a", files: ["weave/trace_server/opentelemetry/helpers.py"] },
      { of: "wandb/weave", version: "commit 011d7ff482e9", files: ["weave/trace_server/opentelemetry/constants.py"] }
    ],
    notShown: [
      "Weave has no field for a cost: it computes one from its own prices, and `gen_ai.usage.cost` is only in the dump of the span.",
      "Cached and reasoning tokens are only in the dump of the span.",
      "Tags are a list in the attributes of a call."
    ]
  },
  webhook: {
    sources: [
      {
        of: "@opentelemetry/otlp-transformer (npm)",
        version: "0.208.0",
        files: ["build/src/generated/root.js"]
      },
      { of: "https://openrouter.ai/docs/guides/features/broadcast/webhook", version: "page of 2026-11" }
    ],
    notShown: [
      "Requests are OTLP and have no signature: an endpoint recognises them by a header of the config. Webhooks of alert channels follow Standard Webhooks."
    ]
  }
}

/** Sources of a registry that this repository does not depend on at the version that is said. */
export const formatsNotDependedOn = (dependencies: Readonly<Record<string, string>>): readonly string[] =>
  Object.values(checkedFormats).flatMap(({ sources }) =>
    sources.flatMap(({ of, version }) => {
      const name = of.slice(0, -" (npm)".length)
      return !of.endsWith(" (npm)") || dependencies[name] === version ? [] : [`${name} ${version}`]
    })
  )
