/**
 * The statements that create the schema. Pure: what they say depends on the options alone.
 *
 * All of them may be repeated; a column that a later version brings is added to the table that is there.
 */
import { Effect } from "effect"
import type { Clickhouse } from "../connection/openClickhouse.ts"
import { cellColumns } from "./cellColumns.ts"
import { aliases, usageColumns } from "./usageColumns.ts"

export interface SchemaOptions {
  /** A cluster of the server: tables are replicated on its hosts and sharded by account. Default: one server. */
  readonly cluster?: string | undefined
}

/** Recorded events, each as often as it was sent: readers say FINAL. */
export const eventTable = "gatewarden_usage_event"
/** How far the history of an account was moved. */
export const moveTable = "gatewarden_usage_move"
/** The classifiers that events of an account carry. */
export const classifierTable = "gatewarden_usage_classifier"

/**
 * Of each day of an account: how often events were sent for it, and what is published of its sums. Rows of a day are added up.
 *
 * `summed` is the latest of (version, marked, kept, is_whole). The sums are those of all events if no mark was set since they were begun:
 * if `marked` is equal in both. A mark is set behind the events that it tells of.
 */
export const dayTable = "gatewarden_usage_day"
/** Sums: rows of all versions, of which the published one of a day counts. */
export const cellTable = "gatewarden_usage_cell"

/** Grows with each change of an event. */
export const versionColumn = "version"

const firstMillis = Date.parse("2020-01-01T00:00:00.000Z")
const lastMillis = Date.parse("2100-01-01T00:00:00.000Z")

/** By month of UTC; what is dated before or behind all of them shares a partition, because a report may date events as it likes. */
const monthOf = (at: string): string =>
  `multiIf(${at} < ${firstMillis}, 0, ${at} >= ${lastMillis}, 1, toYYYYMM(fromUnixTimestamp64Milli(${at}, 'UTC')))`

const quoted = (name: string): string => `\`${name.replaceAll(/[\\`]/g, "\\$&")}\``

interface Table {
  readonly name: string
  readonly columns: readonly string[]
  readonly order: string
  readonly partition?: string
  /** What becomes of rows that are equal in the order: one of them stays (`Replacing`), they are added up, or all stay. */
  readonly merge: "Replacing" | "Aggregating" | ""
  /** Of replaced rows the one with the greatest stays. */
  readonly version?: string
}

/** One table, or on a cluster the replicated one of each shard with another that spreads rows over them. */
const create = (
  { name, columns, order, partition, merge, version: by }: Table,
  { cluster }: SchemaOptions
): readonly string[] => {
  const body = `(\n  ${columns.join(",\n  ")}\n)`
  const version = by === undefined ? "" : `(${by})`
  const replicatedVersion = by === undefined ? "" : `, ${by}`
  const parts = partition === undefined ? "" : `\nPARTITION BY ${partition}`
  if (cluster === undefined)
    return [
      `CREATE TABLE IF NOT EXISTS ${name} ${body}\nENGINE = ${merge}MergeTree${version}${parts}\nORDER BY ${order}`
    ]
  const onCluster = ` ON CLUSTER ${quoted(cluster)}`
  const local = `${name}_local`
  return [
    `CREATE TABLE IF NOT EXISTS ${local}${onCluster} ${body}
ENGINE = Replicated${merge}MergeTree('/clickhouse/tables/{uuid}/{shard}', '{replica}'${replicatedVersion})${parts}\nORDER BY ${order}`,
    `CREATE TABLE IF NOT EXISTS ${name}${onCluster} AS ${local}
ENGINE = Distributed(${quoted(cluster)}, currentDatabase(), ${local}, sipHash64(account_id))`
  ]
}

/** The tables that hold rows, and those that spread them, which need the same columns. */
const namesOf = (name: string, { cluster }: SchemaOptions): readonly string[] =>
  cluster === undefined ? [name] : [`${name}_local`, name]

/** The table that holds the rows of one, to be altered or deleted from wherever they are. */
export const rowsOf = (name: string, { cluster }: SchemaOptions): string =>
  cluster === undefined ? name : `${name}_local ON CLUSTER ${quoted(cluster)}`

const eventColumns = [
  "account_id LowCardinality(String)",
  `${versionColumn} UInt64 CODEC(Delta(8), ZSTD(1))`,
  ...usageColumns.map(({ name, type }) => `${name} ${type}`),
  ...aliases.map(([name, expression]) => `${name} Nullable(Float64) ALIAS ${expression}`)
]

export const schemaStatements = (options: SchemaOptions = {}): readonly string[] => {
  const onCluster = options.cluster === undefined ? "" : ` ON CLUSTER ${quoted(options.cluster)}`
  const stored = options.cluster === undefined ? "" : "_local"
  return [
    ...create(
      {
        name: eventTable,
        columns: eventColumns,
        order: "(account_id, created_at, id)",
        partition: monthOf("created_at"),
        merge: "Replacing",
        version: versionColumn
      },
      options
    ),
    ...namesOf(eventTable, options).map(
      (name) =>
        `ALTER TABLE ${name}${onCluster} ${eventColumns.map((column) => `ADD COLUMN IF NOT EXISTS ${column}`).join(", ")}`
    ),
    ...create(
      {
        name: classifierTable,
        columns: ["account_id LowCardinality(String)", "classifier_id String"],
        order: "(account_id, classifier_id)",
        merge: "Replacing"
      },
      options
    ),
    ...create(
      {
        name: moveTable,
        columns: [
          "account_id LowCardinality(String)",
          "events UInt64",
          "created_at Int64",
          "id String",
          "is_done Bool"
        ],
        order: "account_id",
        merge: "Replacing",
        version: "events"
      },
      options
    ),
    ...create(
      {
        name: dayTable,
        columns: [
          "account_id LowCardinality(String)",
          "day Int64",
          "marked SimpleAggregateFunction(sum, UInt64)",
          "marked_at SimpleAggregateFunction(max, Int64)",
          "summed SimpleAggregateFunction(max, Tuple(UInt64, UInt64, Array(UInt8), Bool))",
          "is_dropped SimpleAggregateFunction(max, UInt8)"
        ],
        order: "(account_id, day)",
        merge: "Aggregating"
      },
      options
    ),
    ...create(
      {
        name: cellTable,
        columns: cellColumns.map(({ name, type }) => `${name} ${type}`),
        order: "(account_id, rollup, day, bucket)",
        partition: monthOf("day"),
        merge: ""
      },
      options
    ),
    ...namesOf(cellTable, options).map(
      (name) =>
        `ALTER TABLE ${name}${onCluster} ${cellColumns.map((column) => `ADD COLUMN IF NOT EXISTS ${column.name} ${column.type}`).join(", ")}`
    ),
    // A set: an event that comes again adds nothing to it.
    `CREATE MATERIALIZED VIEW IF NOT EXISTS ${classifierTable}_of_event${onCluster} TO ${classifierTable}${stored} AS
SELECT DISTINCT account_id, arrayJoin(JSONExtractKeys(assumeNotNull(classifiers))) AS classifier_id
FROM ${eventTable}${stored} WHERE classifiers IS NOT NULL`
  ]
}

/** Creates what is missing. Two at once do no harm. */
export const migrateClickhouse = ({ run }: Clickhouse, options: SchemaOptions): Effect.Effect<void> =>
  Effect.forEach(schemaStatements(options), (statement) => run(statement), { discard: true })

/** What this version reads and writes, as `table.column`. */
export const neededColumns: readonly string[] = [
  ...["account_id", versionColumn, ...usageColumns.map(({ name }) => name)].map((name) => `${eventTable}.${name}`),
  ...["account_id", "day", "marked", "summed", "is_dropped"].map((name) => `${dayTable}.${name}`),
  ...cellColumns.map(({ name }) => `${cellTable}.${name}`)
]
