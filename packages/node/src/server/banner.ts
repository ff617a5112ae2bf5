/** What a terminal shows once the server listens: where it is, and how to send the first request. */
import { Redacted } from "effect"
import { sampleCatalogDate } from "./sampleCatalog.ts"
import { version } from "../platform/version.ts"

export interface BannerFacts {
  /** `http://HOST:PORT<base path>`. */
  readonly url: string
  /** Address of the API page; undefined where it is switched off. */
  readonly pageUrl: string | undefined
  /** Whether this start put the sample catalog into the store. */
  readonly hasSample: boolean
  /** The management key that this start generated. */
  readonly generatedKey: Redacted.Redacted<string> | undefined
  /** The file that holds the first management key; undefined when there is none. */
  readonly keyFile: string | undefined
}

/** In single quotes a shell takes everything as it is, but for single quotes. */
const quoted = (text: string): string => (/^[\w./~-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`)

const exportLine = ({ generatedKey, keyFile }: BannerFacts): string | undefined => {
  if (generatedKey !== undefined) return `export KEY=${quoted(Redacted.value(generatedKey))}`
  return keyFile === undefined ? undefined : `export KEY=$(cat ${quoted(keyFile)})`
}

export const banner = (facts: BannerFacts): string => {
  const { url, pageUrl, hasSample, generatedKey, keyFile } = facts
  const line = exportLine(facts)
  const rows: readonly (readonly [string, string | undefined])[] = [
    ["API", url],
    ["API page", pageUrl],
    ["Models", hasSample ? `the sample catalog, with prices of ${sampleCatalogDate}` : undefined],
    ["Key", generatedKey && Redacted.value(generatedKey)],
    ["", generatedKey && `a management key; ${keyFile === undefined ? "shown this once" : `also in ${keyFile}`}`]
  ]
  const shown = rows.flatMap(([label, value]) => (value === undefined ? [] : [`    ${label.padEnd(10)}${value}`]))
  const next =
    line === undefined ? [] : ["", `    ${line}`, `    curl -H "Authorization: Bearer $KEY" ${url}/guardrails`]
  return `${["", `  Gatewarden ${version}`, "", ...shown, ...next, "", "  Ctrl-C stops it.", ""].join("\n")}\n`
}
