/** What is sent to find stalls: every kind of request that may be long, each as long as it may be. */

export interface LongRequest {
  readonly name: string
  readonly method: "POST" | "PUT"
  readonly path: string
  readonly body: (key: Asking) => string
  /** It carries an `Idempotency-Key`, and is sent again with the same. */
  readonly idempotent?: true
}

/** Hashes of the keys that admissions are asked for. */
export interface Asking {
  readonly plain: string
  /** Its workspace redacts addresses and numbers. */
  readonly filtered: string
}

const mebibyte = 1_048_576
const longest = 30 * mebibyte
/** One string may take 16 MiB of memory, in which most of these characters take two bytes. */
const longestText = 16 * mebibyte - 1_000

const prose = "The quick brown fox jumps over the lazy dog, as it did before. "
const personal = "Write to jane.doe@example.com or call 078-05-1120 about the order of last week, please. "

const filled = (text: string, size: number): string => text.repeat(Math.ceil(size / text.length)).slice(0, size)

const admission = (api_key_hash: string, messages: readonly unknown[], more: object = {}): string =>
  JSON.stringify({ api_key_hash, model: "acme/m0", max_completion_tokens: 10, messages, ...more })

const oneText = (text: string) => [{ role: "user", content: text }]

const twoTexts = [...oneText(filled(prose, longest / 2)), ...oneText(filled(prose, longest / 2))]

const manyTexts = (text: string, count: number, size: number) =>
  Array.from({ length: count }, (_, at) => ({ role: at % 2 === 0 ? "user" : "assistant", content: filled(text, size) }))

const endpoint = (at: number, more: object = {}) => ({
  name: `Provider ${at}`,
  provider_name: `Provider ${at}`,
  provider_slug: `provider-${at}`,
  tag: `provider-${at}/fp8`,
  context_length: 200_000,
  max_completion_tokens: 32_000,
  pricing: { prompt: "0.000001", completion: "0.000002" },
  supported_parameters: ["temperature", "tools", "tool_choice"],
  ...more
})

const model = (id: string, endpoints: readonly unknown[], more: object = {}) => ({
  id,
  name: id,
  created: 1_767_225_600,
  architecture: { input_modalities: ["text"], output_modalities: ["text"] },
  endpoints,
  ...more
})

const catalog = (models: readonly unknown[]): string => JSON.stringify({ models })

/** The model that admissions ask for is written anew each time, as it was. */
export const smallCatalog = catalog([model("acme/m0", [endpoint(0)])])

const event = (at: number, more: object = {}) => ({
  id: `event-${at}-${Math.random()}`,
  created_at: new Date(Date.now() - 60_000).toISOString(),
  model: "acme/m0",
  provider: "provider-0",
  prompt_tokens: 100,
  completion_tokens: 50,
  cost_usd: "0.001",
  ...more
})

const tags = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`dimension-${at}`, `tag-${at % 7}`]))

const admit = { method: "POST", path: "/gateway/admissions" } as const
const put = { method: "PUT", path: "/gateway/catalog" } as const
const record = { method: "POST", path: "/gateway/usage-events" } as const

export const longRequests: readonly LongRequest[] = [
  {
    ...admit,
    name: "admission, 30 MiB, two texts",
    body: ({ plain }) => admission(plain, twoTexts)
  },
  {
    ...admit,
    name: "admission, 15 MiB, one text of Cyrillic",
    body: ({ plain }) => admission(plain, oneText(filled("Съешь ещё этих мягких французских булок. ", longestText / 2)))
  },
  {
    ...admit,
    name: "admission, 30 MiB, 60,000 messages",
    body: ({ plain }) => admission(plain, manyTexts(prose, 60_000, 480))
  },
  {
    ...admit,
    name: "admission, 12 MiB, `Idempotency-Key`, twice",
    idempotent: true,
    body: ({ plain }) => admission(plain, oneText(filled(prose, 12 * mebibyte)))
  },
  {
    ...admit,
    name: "admission, 30 MiB, filters, two texts",
    body: ({ filtered }) => admission(filtered, twoTexts)
  },
  {
    ...admit,
    name: "admission, 30 MiB, filters, two parts of one content",
    body: ({ filtered }) =>
      admission(filtered, [{ role: "user", content: twoTexts.map(({ content }) => ({ type: "text", text: content })) }])
  },
  {
    ...admit,
    name: "admission, 30 MiB, filters, 60,000 messages",
    body: ({ filtered }) => admission(filtered, manyTexts(prose, 60_000, 480))
  },
  {
    ...admit,
    name: "admission, 2 MiB, redacted, one text",
    body: ({ filtered }) => admission(filtered, oneText(filled(personal, 2 * mebibyte)))
  },
  {
    ...admit,
    name: "admission, 4 MiB, redacted, `Idempotency-Key`, twice",
    idempotent: true,
    body: ({ filtered }) => admission(filtered, oneText(filled(prose, 4 * mebibyte) + personal))
  },
  {
    method: "POST",
    path: "/gateway/explanations",
    name: "explanation, 30 MiB, two texts",
    body: ({ plain }) => admission(plain, twoTexts)
  },
  {
    ...put,
    name: "catalog, 500,000 values, 18,000 models",
    body: () => catalog(Array.from({ length: 18_000 }, (_, at) => model(`acme/n${at}`, [endpoint(at)])))
  },
  {
    ...put,
    name: "catalog, 500,000 values, 35 models of 1,000 endpoints",
    body: () =>
      catalog(
        Array.from({ length: 35 }, (_, at) =>
          model(
            `acme/wide${at}`,
            Array.from({ length: 1_000 }, (_, at) => endpoint(at))
          )
        )
      )
  },
  {
    ...put,
    name: "catalog, 30 MiB, 300 models with long descriptions",
    body: () =>
      catalog(
        Array.from({ length: 300 }, (_, at) =>
          model(`acme/d${at}`, [endpoint(at)], { description: filled(prose, 99_000) })
        )
      )
  },
  { ...admit, name: "small admission after these catalogs", body: ({ plain }) => admission(plain, oneText("Hello")) },
  {
    ...admit,
    name: "admission over four models after these catalogs",
    body: ({ plain }) =>
      admission(plain, oneText("Hello"), { models: Array.from({ length: 3 }, (_, at) => `acme/n${at}`) })
  },
  {
    ...record,
    name: "usage, 10,000 events",
    body: () => JSON.stringify({ events: Array.from({ length: 10_000 }, (_, at) => event(at)) })
  },
  {
    ...record,
    name: "usage, 5,000 events with 80 tags each",
    body: () =>
      JSON.stringify({
        events: Array.from({ length: 5_000 }, (_, at) => event(at, { classifiers: { topics: tags(80) } }))
      })
  },
  {
    method: "POST",
    path: "/presets/long/chat/completions",
    name: "preset, 1 MiB",
    body: () => JSON.stringify({ model: "acme/m0", messages: manyTexts(prose, 2_000, 450) })
  }
]
