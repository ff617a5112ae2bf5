/**
 * Usage events as columns of a Parquet file.
 *
 * Amounts are DECIMAL(38, 9), which sums exactly; objects and lists are JSON. An absent field is null.
 */
import { costComponents } from "@gatewarden/contract/internal"
import { fileWriter, ParquetWriter } from "hyparquet-writer"
import { open } from "node:fs/promises"

type Event = Readonly<Record<string, unknown>>

interface Column {
  readonly name: string
  readonly type: Type
  readonly value: (event: Event) => unknown
}

const types = {
  text: { type: "BYTE_ARRAY", converted_type: "UTF8" },
  json: { type: "BYTE_ARRAY", converted_type: "UTF8" },
  count: { type: "INT64" },
  number: { type: "DOUBLE" },
  flag: { type: "BOOLEAN" },
  time: { type: "INT64", converted_type: "TIMESTAMP_MILLIS" },
  usd: { type: "FIXED_LEN_BYTE_ARRAY", type_length: 16, converted_type: "DECIMAL", precision: 38, scale: 9 }
} as const
type Type = keyof typeof types

/** Nano-dollars of a decimal text with at most nine decimals. */
const nanosOf = (usd: string): bigint => {
  const [whole = "0", fraction = ""] = usd.split(".")
  return BigInt(whole + fraction.padEnd(9, "0"))
}

const readers: Readonly<Record<Type, (value: unknown) => unknown>> = {
  text: (value) => value,
  json: (value) => JSON.stringify(value),
  count: (value) => BigInt(value as number),
  number: (value) => value,
  flag: (value) => value,
  time: (value) => new Date(value as string),
  usd: (value) => nanosOf(value as string)
}

const field = (type: Type, ...names: readonly string[]): readonly Column[] =>
  names.map((name) => ({ name, type, value: (event) => event[name] }))

const columns: readonly Column[] = [
  ...field("text", "id"),
  ...field("time", "created_at"),
  ...field("text", "model", "provider"),
  ...field("count", "prompt_tokens", "completion_tokens", "reasoning_tokens", "cached_tokens"),
  ...field("count", "cache_write_tokens", "tool_calls"),
  ...field("usd", "cost_usd", "byok_cost_usd"),
  ...field("flag", "byok"),
  ...field("text", "status", "workspace_id", "api_key_hash", "user_id", "external_user", "app", "origin", "country"),
  ...field("text", "endpoint_tag", "session_id", "data_region", "finish_reason"),
  ...field("number", "latency_ms", "generation_ms"),
  ...field("flag", "guardrail_invoked", "response_cached"),
  ...field("text", "guardrail_id", "category", "language_type"),
  ...field("number", "sample_weight"),
  ...field("json", "input_modalities", "output_modalities", "app_categories", "classifiers", "trace"),
  ...costComponents.map((name): Column => {
    const value = (event: Event) => (event["cost_components"] as Event | undefined)?.[name]
    return { name: `cost_components_${name}`, type: "usd", value }
  })
]

/** Rows of a row group, and about its bytes before they are packed: as much as is in memory at once. */
const groupRows = 20_000
const groupBytes = 33_554_432

/** Writes a Parquet file from lines of NDJSON. The file is empty or absent before. */
export const openParquet = async (path: string) => {
  // The writer opens the file by its name for each group; who may read it is told when it is made.
  await (await open(path, "wx", 0o600)).close()
  const file = fileWriter(path)
  const writer = new ParquetWriter({
    writer: file,
    createdBy: "gatewarden",
    schema: [
      { name: "usage_event", num_children: columns.length },
      ...columns.map(({ name, type }) => ({ name, repetition_type: "OPTIONAL" as const, ...types[type] }))
    ]
  })
  let events: Event[] = []
  let bytes = 0
  const flush = async (): Promise<void> => {
    if (events.length === 0) return
    const columnData = columns.map(({ name, type, value }) => ({
      name,
      data: events.map((event) => {
        const read = value(event)
        return read === undefined ? null : readers[type](read)
      })
    }))
    await writer.write({ columnData, rowGroupSize: events.length })
    events = []
    bytes = 0
  }
  return {
    write: async (lines: string): Promise<void> => {
      bytes += lines.length
      for (const line of lines.split("\n")) if (line !== "") events.push(JSON.parse(line) as Event)
      if (events.length >= groupRows || bytes >= groupBytes) await flush()
    },
    finish: async (): Promise<void> => {
      await flush()
      await writer.finish()
    }
  }
}
