/** Upstream file stores that listen somewhere, as whoever speaks to them or asks about them sees them. */
export type Provider = "openai" | "anthropic"

export interface KeptFile {
  readonly filename: string
  readonly mime_type: string
  readonly size: number
  /** Form fields beside the file. */
  readonly fields: Readonly<Record<string, string>>
}

export interface KeyUse {
  /** How often the key was used. */
  readonly calls: number
  /** What it has stored, with its id. */
  readonly files: readonly (readonly [string, KeptFile])[]
}

export interface FileProviders {
  readonly origin: string
  readonly baseUrls: Readonly<Record<Provider, string>>
  readonly useOf: (key: string) => Promise<KeyUse>
}

/** What stands at a provider whose key is `sk-making-…`, as `file-made`. */
export const madeFile: KeptFile = {
  filename: "report.csv",
  mime_type: "text/csv",
  size: 1_000_000,
  fields: { purpose: "batch_output" }
}

/** Its bytes: every byte, and not the same thing again and again. */
export const madeContent: Uint8Array<ArrayBuffer> = new Uint8Array(madeFile.size).map(
  (_, at) => (at * 31 + (at >>> 8)) & 255
)

export const fileProvidersAt = (origin: string): FileProviders => ({
  origin,
  baseUrls: { openai: `${origin}/openai`, anthropic: `${origin}/anthropic` },
  useOf: async (key) => (await (await fetch(`${origin}/uses/${encodeURIComponent(key)}`)).json()) as KeyUse
})
