/** A client library as people use it: unmodified, given the gateway's address and a key. */
export interface AnyClient {
  /** The package, as its users import it. */
  readonly name: string
  /** Which API of the gateway it speaks. */
  readonly api: Api
  /** Where its users find what an answer cost, in what `complete` brings as `found`; empty: nowhere. */
  readonly cost: string
  /** Where they find the status of an error. */
  readonly status: string
  readonly connect: (options: ConnectOptions) => Pick<Connection, "complete">
}

export type Api = "/chat/completions" | "/responses" | "/messages" | "/embeddings"

/** A client that asks for text. */
export interface GatewayClient extends AnyClient {
  readonly api: Exclude<Api, "/embeddings">
  /** The version of a program that no registry has as a library: what it asks was recorded, and it always asks for a stream. */
  readonly recorded?: string
  /** As `cost`, of what `stream` brings. */
  readonly streamedCost: string
  readonly streamedTokens: string
  readonly connect: (options: ConnectOptions) => Connection
}

export interface ConnectOptions {
  /** `http://127.0.0.1:PORT/api/v1`; Anthropic's client is given it without `/v1`, which it adds itself. */
  readonly baseUrl: string
  readonly key: string
  /** Whether it tries again by itself; each as it does unless it is told otherwise, or as often as it can be told. */
  readonly retries: boolean
}

/** Every call asks for `acme/sonnet`, a hundred tokens at most. */
export interface Connection {
  readonly complete: () => Promise<Said>
  /** `onText` is called at each text that comes. */
  readonly stream: (options?: { readonly signal?: AbortSignal; readonly onText?: () => void }) => Promise<Said>
  /** Offers the tool `weather` with a `city`. */
  readonly call: () => Promise<ToolCalled>
  readonly streamedCall: () => Promise<ToolCalled>
}

export interface Said {
  readonly text: string
  /** What the client's user has in hand. */
  readonly found: unknown
  /** How its user learns that a stream broke off, where it is no exception. */
  readonly broken?: string | undefined
}

export interface ToolCalled {
  readonly name: string
  readonly city: unknown
}

export const modelName = "acme/sonnet"
export const mostTokens = 100
export const question = "hello"

export const weather = {
  name: "weather",
  description: "The weather of a city",
  parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] }
} as const

export const readCall = (name: string | undefined, text: string): ToolCalled => ({
  name: name ?? "",
  city: (JSON.parse(text) as { readonly city?: unknown }).city
})
