/** By what rows are told apart: dimensions, and buckets of time. Rule: analytics#dimensions, usage#refused-requests. */
import type { Case } from "../../http/Case.ts"
import { allTime, answers, march, of } from "./scene.ts"

const refusing = "ded01a3f-c4cc-577a-8dcd-824fa38f35e0"

export const groups: readonly Case[] = [
  answers(
    "every dimension of an event, ids as recorded",
    [
      {
        model: "acme/opus:free",
        api_key_hash: "f".repeat(64),
        user_id: "user-1",
        app: "app-1",
        provider: "acme",
        origin: "https://a.example",
        country: "DE",
        finish_reason: "stop",
        external_user: "customer",
        prompt_tokens: 1001
      }
    ],
    {
      dimensions: ["api_key_id", "context_length_bucket"],
      filters: { variant: "free", user: "user-1", origin: "https://a.example" }
    },
    [{ api_key_id: "f".repeat(64), context_length_bucket: "10K", request_count: 1 }]
  ),
  answers(
    "by endpoint and status",
    [{ endpoint_tag: "acme/fp8" }, { endpoint_tag: "acme/fp8", status: "error" }, {}, { endpoint_tag: "" }],
    { dimensions: ["endpoint", "status"] },
    [
      { endpoint: "", status: "ok", request_count: 1 },
      { endpoint: "acme/fp8", status: "error", request_count: 1 },
      { endpoint: "acme/fp8", status: "ok", request_count: 1 },
      { endpoint: null, status: "ok", request_count: 1 }
    ]
  ),
  answers(
    "by session, of what guardrails refused",
    [
      { session_id: "s1", status: "blocked", guardrail_id: refusing },
      { session_id: "s1" },
      { status: "blocked", guardrail_id: refusing }
    ],
    {
      dimensions: ["session_id", "guardrail"],
      filters: [
        { field: "guardrail", operator: "eq", value: refusing.toUpperCase() },
        { field: "status", operator: "in", value: ["blocked"] }
      ]
    },
    [
      { session_id: "s1", guardrail: refusing, request_count: 1 },
      { session_id: null, guardrail: refusing, request_count: 1 }
    ]
  ),
  answers(
    "context lengths",
    of("prompt_tokens", 1000, 1001, 100_000, 1_000_000, 1_000_001),
    { dimensions: ["context_length_bucket"] },
    [
      { context_length_bucket: "100K", request_count: 1 },
      { context_length_bucket: "10K", request_count: 1 },
      { context_length_bucket: "10M", request_count: 1 },
      { context_length_bucket: "1K", request_count: 1 },
      { context_length_bucket: "1M", request_count: 1 }
    ]
  ),
  answers(
    "what is missing is null, and last",
    of("user_id", undefined, "b", "\u{1f600}", "\uffee", "B", undefined),
    { dimensions: ["user"] },
    [
      { user: null, request_count: 2 },
      { user: "B", request_count: 1 },
      { user: "b", request_count: 1 },
      { user: "\uffee", request_count: 1 },
      { user: "\u{1f600}", request_count: 1 }
    ]
  ),
  answers(
    "ordered by a dimension, null last either way",
    of("user_id", undefined, "b", "a"),
    { dimensions: ["user"], order_by: { field: "user", direction: "desc" } },
    [
      { user: "b", request_count: 1 },
      { user: "a", request_count: 1 },
      { user: null, request_count: 1 }
    ]
  ),
  answers("a dimension asked for twice", [{}], { dimensions: ["provider", "provider"] }, [
    { provider: "acme", request_count: 1 }
  ]),
  answers(
    "the last seven days, and what was just recorded",
    of("created_at", "2026-02-25T12:00:00Z", "2026-02-25T11:59:59.999Z", "2026-03-04T12:00:00Z"),
    {},
    [{ request_count: 2 }]
  ),
  answers(
    "start inclusive, end exclusive, to the millisecond",
    of(
      "created_at",
      "2026-03-01T00:00:00.000Z",
      "2026-03-01T00:00:00.999Z",
      "2026-03-01T00:00:01Z",
      "2026-02-28T23:59:59.999Z"
    ),
    { time_range: { start: "2026-03-01T00:00:00Z", end: "2026-03-01T00:00:01.000000000Z" } },
    [{ request_count: 2 }]
  ),
  ...(
    [
      ["minute", "2026-03-04T10:59:00.000Z"],
      ["hour", "2026-03-04T10:00:00.000Z"],
      ["day", "2026-03-04T00:00:00.000Z"],
      ["week", "2026-03-02T00:00:00.000Z"],
      ["month", "2026-03-01T00:00:00.000Z"]
    ] as const
  ).map(([granularity, start]) =>
    answers(`by ${granularity}`, of("created_at", "2026-03-04T10:59:59.999Z"), { granularity, time_range: march }, [
      { [`date__${granularity}`]: start, request_count: 1 }
    ])
  ),
  answers(
    "weeks start on Monday",
    of("created_at", "2025-01-01T00:00:00Z"),
    { granularity: "week", time_range: allTime },
    [{ date__week: "2024-12-30T00:00:00.000Z", request_count: 1 }]
  )
]
