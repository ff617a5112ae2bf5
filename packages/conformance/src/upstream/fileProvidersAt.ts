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

export const fileProvidersAt = (origin: string): FileProviders => ({
  origin,
  baseUrls: { openai: `${origin}/openai`, anthropic: `${origin}/anthropic` },
  useOf: async (key) => (await (await fetch(`${origin}/uses/${encodeURIComponent(key)}`)).json()) as KeyUse
})
