import { type SealedField, SealedSecrets, envelopePrefix, sealedPageBytes } from "@gatewarden/core/internal"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { acts } from "../statements/acting.ts"
import { arrayLiteral, byteaLiteral } from "../statements/literals.ts"
import { sealedColumns } from "../statements/sealedColumns.ts"
import { reading, writing } from "../statements/statements.ts"

interface Row {
  readonly account_id: string
  readonly workspace_id: string
  readonly row_id: string
  readonly sealed: Uint8Array
}

const contextIn = (field: SealedField) => {
  const [table = "", name = ""] = field.split(".")
  return { table, field: name }
}

export const sealedSecrets = Effect.map(SqlClient.SqlClient, (sql) => {
  const notSealedBy = (column: string, keyId: string) => {
    const prefix = envelopePrefix(keyId)
    return sql`substring(${sql(column)} from 1 for ${sql.literal(String(prefix.length))}) <> ${prefix}`
  }
  return SealedSecrets.of({
    count: (field, primaryKeyId) => {
      const { table, column } = sealedColumns[field]
      const rows = sql`
        select count(*) as total, count(*) filter (where ${notSealedBy(column, primaryKeyId)}) as behind
        from ${sql(table)} where ${sql(column)} is not null`
      return reading(Effect.map(rows, ([row]) => ({ total: Number(row?.["total"]), behind: Number(row?.["behind"]) })))
    },
    page: (field, { notSealedBy: keyId, after, limit }) => {
      const { table, column, keys, keyOf, ...expressions } = sealedColumns[field]
      const order = sql.csv(keys.map(({ name }) => sql`${sql(name)}`))
      const page = sql`
        select * from ${sql(table)}
        where ${sql.and([
          sql`${sql(column)} is not null`,
          ...(keyId === undefined ? [] : [notSealedBy(column, keyId)]),
          ...(after === undefined
            ? []
            : [
                sql`(${order}) > (${sql.csv(
                  keyOf(after).map((value, index) => sql`${value}::${sql.literal(keys[index]?.type ?? "text")}`)
                )})`
              ])
        ])}
        order by ${order} limit ${limit}`
      // PostgreSQL knows the length of a value without reading it.
      const rows = sql<Row>`
        select account_id::text as account_id, ${sql.literal(expressions.workspace_id)} as workspace_id,
          ${sql.literal(expressions.row_id)} as row_id, ${sql(column)} as sealed
        from (
          select *, row_number() over (order by ${order}) as row_position,
            coalesce(sum(octet_length(${sql(column)})) over (order by ${order} rows between unbounded preceding and 1 preceding), 0) as bytes_before
          from (${page}) found
        ) measured
        where bytes_before < ${sealedPageBytes} order by row_position`
      return reading(
        Effect.map(rows, (found) =>
          found.map(({ sealed, ...context }) => ({ context: { ...contextIn(field), ...context }, sealed }))
        )
      )
    },
    // Skips what is locked: whoever waits for no lock while it holds others is part of no deadlock.
    replace: (field, changes) => {
      const { table, column, keys, keyOf } = sealedColumns[field]
      const values = changes.map(({ context }) => keyOf(context))
      const sent = sql.csv([
        ...keys.map(
          ({ type }, index) => sql`${arrayLiteral(values.map((value) => value[index]))}::${sql.literal(`${type}[]`)}`
        ),
        sql`${arrayLiteral(changes.map(({ sealed }) => byteaLiteral(sealed)))}::bytea[]`,
        sql`${arrayLiteral(changes.map(({ resealed }) => byteaLiteral(resealed)))}::bytea[]`
      ])
      const names = sql.csv(keys.map(({ name }) => sql`${sql(name)}`))
      const same = (a: string, b: string) =>
        sql.and(keys.map(({ name }) => sql.literal(`${a}.${name} = ${b}.${name}`)).map((text) => sql`${text}`))
      const held = sql`
        select ${sql.csv(keys.map(({ name }) => sql.literal(`kept.${name}`)).map((text) => sql`${text}`))}, sent.resealed
        from unnest(${sent}) as sent (${names}, sealed, resealed)
        join ${sql(table)} kept on ${same("kept", "sent")} and kept.${sql(column)} = sent.sealed
        for update of kept skip locked`
      return writing(
        Effect.map(
          sql`
            ${acts.with} held as (${held})
            update ${sql(table)} kept set ${sql(column)} = held.resealed from held where ${same("kept", "held")}
            returning 1 as one`,
          (rows) => rows.length
        )
      )
    }
  })
})
