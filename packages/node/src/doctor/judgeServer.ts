import { connectionsPerProcess as perProcess } from "@gatewarden/postgres/internal"
import { failure, fine, type Finding, warning } from "./Finding.ts"

/** What a PostgreSQL server says of itself. */
export interface ServerFacts {
  /** `server_version_num`, such as 160004. */
  readonly version: number
  readonly encoding: string
  /** Transactions begin without the right to write. */
  readonly readOnly: boolean
  /** How far its clock is ahead of ours, in milliseconds; negative: behind. */
  readonly skewMillis: number
  /** Connections that it gives to users that are not superusers, and those that are taken. */
  readonly connections: number
  readonly taken: number
}

const warnSkew = 2_000
const failSkew = 60_000

/** Whether a server can be the store of an installation. Its time zone does not matter: every session sets UTC. */
export const judgeServer = (facts: ServerFacts): readonly Finding[] => {
  const { version, encoding, readOnly, skewMillis, connections, taken } = facts
  const major = Math.floor(version / 10_000)
  const skew = Math.abs(skewMillis)
  const apart = `The clocks of this machine and the database are ${(skew / 1000).toFixed(1)} s apart`
  const synchronise = "synchronise both clocks: timedatectl set-ntp true"
  return [
    major < 14
      ? failure("PostgreSQL", `Version ${major} is too old`, "upgrade the server to PostgreSQL 14 or newer")
      : fine("PostgreSQL", `version ${major}`),
    encoding === "UTF8"
      ? fine("encoding", "UTF8")
      : failure(
          "encoding",
          `The database stores text as ${encoding}`,
          "create database gatewarden encoding 'UTF8' template template0"
        ),
    ...(readOnly
      ? [
          failure(
            "read only",
            "The database takes no writes: it is a standby, or default_transaction_read_only is on",
            "let DATABASE_URL name the primary, or: alter database gatewarden reset default_transaction_read_only",
            "unavailable"
          )
        ]
      : []),
    skew > failSkew
      ? failure("clock", apart, synchronise)
      : skew > warnSkew
        ? warning("clock", apart, synchronise)
        : fine("clock", `${(skew / 1000).toFixed(1)} s apart`),
    connections - taken < 2 * perProcess
      ? warning(
          "connections",
          `${taken} of ${connections} connections are taken; two processes, as during a restart, use up to ${2 * perProcess}`,
          "raise max_connections of the server: alter system set max_connections = 200, and restart it"
        )
      : fine("connections", `${taken} of ${connections} taken`)
  ]
}
