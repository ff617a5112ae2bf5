/**
 * Writes of several kinds, of which it is remembered what was acknowledged: guardrails, credentials, versions of presets, batches
 * of usage events. Sent without `Idempotency-Key`, as the public client does.
 */
import { assert } from "@effect/vitest"
import { callServer, type ServerAnswer } from "./callServer.ts"

export const kinds = ["guardrail", "byok", "preset", "usage"] as const
export type WriteKind = (typeof kinds)[number]

export const eventsPerBatch = 3
/** How many presets the versions are of. */
const presets = 4

export interface Write {
  readonly kind: WriteKind
  /** Unlike any other of its kind. */
  readonly name: string
  readonly outcome: "acknowledged" | "refused" | "unknown" | "unanswered"
  /** What the acknowledgement said, else undefined. */
  readonly data: ServerAnswer["json"]
}

const target: Readonly<Record<WriteKind, (name: string, index: number) => readonly [path: string, body: object]>> = {
  guardrail: (name) => ["/guardrails", { name }],
  byok: (name) => ["/byok", { name, provider: "openai", key: `sk-0123456789abcdefghijklmn-${name}` }],
  preset: (name, index) => [
    `/presets/shared-${index % presets}/chat/completions`,
    { messages: [{ role: "system", content: name }] }
  ],
  usage: (name) => [
    "/gateway/usage-events",
    {
      events: Array.from({ length: eventsPerBatch }, (_, place) => ({
        id: `${name}/${place}`,
        created_at: new Date().toISOString(),
        model: "acme/one",
        provider: "acme",
        prompt_tokens: 1,
        completion_tokens: 1,
        cost_usd: "0.000001"
      }))
    }
  ]
}

const reasons: Readonly<Record<string, Write["outcome"]>> = {
  store_unavailable: "refused",
  draining: "refused",
  outcome_unknown: "unknown"
}

/** Sends one. Whatever is answered is either the acknowledgement or says that the store or the outcome is not known. */
export const write = async (url: string, kind: WriteKind, name: string, index: number): Promise<Write> => {
  const [path, body] = target[kind](name, index)
  // A failed assertion about the answer is no lost connection.
  const sent = callServer(url, "POST", path, { body })
  const answer = await sent.catch((cause: unknown) => {
    if (cause instanceof TypeError) return undefined
    throw cause
  })
  if (answer === undefined) return { kind, name, outcome: "unanswered", data: undefined }
  if (answer.status === 200) return { kind, name, outcome: "acknowledged", data: answer.json.data }
  assert.include([500, 503], answer.status)
  const outcome = reasons[answer.json.error.metadata.reason]
  assert.isDefined(outcome, answer.json.error.metadata.reason)
  return { kind, name, outcome: outcome ?? "unknown", data: undefined }
}

/** Several writers at once, each until `goOn` says no after one of its writes. */
export const writeAtOnce = async (
  url: string,
  label: string,
  writers: number,
  goOn: (write: Write) => boolean
): Promise<readonly Write[]> => {
  const done: Write[] = []
  const writer = async (number: number) => {
    for (let index = 0; ; index++) {
      const kind = kinds[(number + index) % kinds.length] ?? "guardrail"
      const written = await write(url, kind, `${label}-${number}-${index}`, index)
      done.push(written)
      if (!goOn(written)) return
    }
  }
  await Promise.all(Array.from({ length: writers }, (_, number) => writer(number)))
  return done
}
