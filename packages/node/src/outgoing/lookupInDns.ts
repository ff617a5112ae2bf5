/**
 * Looks a name up in DNS, without a thread.
 *
 * Rule: operating#outgoing-calls. The look-up of the system takes one of few threads for up to ten seconds where the servers of a name do not
 * answer. Names that accounts chose would so keep the requests of others, and the connections of the store, from being opened.
 */
import { Resolver } from "node:dns/promises"
import type { LookupFunction } from "node:net"

const patience = { timeout: 3_000, tries: 2 }

/** RFC 6761: no server of names is asked for these. */
const isLocal = (hostname: string): boolean => /^(?:.+\.)?localhost\.?$/i.test(hostname)

const local = [
  { address: "127.0.0.1", family: 4 },
  { address: "::1", family: 6 }
]

/** How long the servers of the system are asked before they are read anew. */
const renewedMillis = 60_000

/** One resolver for all that ask within a minute: it has one socket for each server. */
const resolverOf = (servers: readonly string[] | undefined) => {
  let resolver: Resolver | undefined
  let madeAt = 0
  return (): Resolver => {
    const now = performance.now()
    if (resolver !== undefined && now - madeAt < renewedMillis) return resolver
    resolver = new Resolver(patience)
    madeAt = now
    if (servers !== undefined) resolver.setServers(servers)
    return resolver
  }
}

const addressesOf = async (hostname: string, resolver: Resolver) => {
  const [v4, v6] = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)])
  if (v4.status === "rejected" && v6.status === "rejected") throw v4.reason
  return [
    ...(v4.status === "fulfilled" ? v4.value : []).map((address) => ({ address, family: 4 })),
    ...(v6.status === "fulfilled" ? v6.value : []).map((address) => ({ address, family: 6 }))
  ]
}

/** Answers all addresses of a name, whatever the options ask for. `servers`: default those of the system. */
export const lookupInDns = (servers?: readonly string[]): LookupFunction => {
  const resolverNow = resolverOf(servers)
  return (hostname, _, callback) => {
    if (isLocal(hostname)) return void setImmediate(callback, null, local)
    void addressesOf(hostname, resolverNow()).then(
      (found) => callback(null, found),
      (cause: NodeJS.ErrnoException) => callback(cause, [])
    )
  }
}
