/** What the acts are played on: a host with its database, a provider, and the management API as a client calls it. */
import type { Gatewarden } from "@gatewarden/core"
import { newKeyring } from "@gatewarden/core/effect"
import { Redacted } from "effect"
import { randomBytes } from "node:crypto"
import { type Analyzer, startAnalyzer } from "./Analyzer.ts"
import { type DemoDatabase, openDatabase } from "./DemoDatabase.ts"
import { startHost } from "./host.ts"
import { type Provider, startProvider } from "./provider.ts"
import type { Screen } from "./Screen.ts"

// Answers of the API as the acts read them.
export type Answer = Readonly<Record<string, unknown>>

export interface Stage {
  readonly screen: Screen
  readonly database: DemoDatabase
  readonly provider: Provider
  readonly analyzer: Analyzer
  readonly gatewarden: Gatewarden
  /** The host's address without a path. */
  readonly origin: string
  readonly managementKey: string
  /** Calls the management API; rejects when it refuses. */
  readonly manage: <A = Answer>(method: string, path: string, body?: object) => Promise<A>
  readonly newKey: (fields: object) => Promise<{ readonly key: string; readonly hash: string }>
  readonly newWorkspace: (slug: string) => Promise<{ readonly id: string; readonly default_guardrail_id: string }>
  readonly close: () => Promise<void>
}

export const openStage = async (screen: Screen): Promise<Stage> => {
  const managementKey = `demo-${randomBytes(24).toString("hex")}`
  const keyring = Redacted.value(newKeyring("demo", (size) => randomBytes(size)))
  const database = await openDatabase()
  const provider = await startProvider()
  const analyzer = await startAnalyzer()
  const presidio = { url: analyzer.url, fetch }
  const host = await startHost({ store: database.store, keyring, managementKey, presidio }, provider.url)
  const manage = async <A>(method: string, path: string, body?: object): Promise<A> => {
    const answer = await fetch(`${host.url}/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${managementKey}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) })
    })
    const text = await answer.text()
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`)
    return JSON.parse(text) as A
  }
  return {
    screen,
    database,
    provider,
    analyzer,
    gatewarden: host.gatewarden,
    origin: host.url,
    managementKey,
    manage,
    newKey: async (fields) => {
      const { key, data } = await manage<{ readonly key: string; readonly data: { readonly hash: string } }>(
        "POST",
        "/keys",
        fields
      )
      return { key, hash: data.hash }
    },
    newWorkspace: async (slug) => {
      type Made = { readonly data: { readonly id: string; readonly default_guardrail_id: string } }
      return (await manage<Made>("POST", "/workspaces", { name: slug, slug })).data
    },
    close: async () => {
      host.close()
      provider.close()
      await analyzer.kill()
      await host.gatewarden.close()
      await database.close()
    }
  }
}
