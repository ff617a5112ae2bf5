/** A platform's own API on loopback: it holds what it receives to the platform's published rules and answers as the platform does. */
import type { DestinationType } from "@gatewarden/contract/internal"
import { Effect, type Scope } from "effect"
import { listenOnLoopback } from "@gatewarden/conformance/internal/upstream/listenOnLoopback"
import type { ConfigOf, IntakeAnswer, IntakeRequest } from "./OtlpIntake.ts"

/** Answers that a request is at fault, and notes why. */
export type Fault = (status: number, message: string, body?: string) => IntakeAnswer

export interface PlatformRules<Type extends DestinationType, Held> {
  readonly type: Type
  readonly config: (origin: string) => ConfigOf<Type>
  /** Judges a request and keeps what it carries. */
  readonly receive: (request: IntakeRequest, fault: Fault, hold: (held: Held) => void) => IntakeAnswer
}

export interface PlatformIntake<Type extends DestinationType, Held> {
  readonly type: Type
  readonly config: ConfigOf<Type>
  /** What the platform shows to its user: what was sent twice is there once, where the platform promises that. */
  readonly held: readonly Held[]
  readonly requests: readonly IntakeRequest[]
  /** Faults, in the words of this intake; the platforms say less. */
  readonly faults: readonly string[]
  /** From now on every request is answered so; undefined: well again. */
  readonly answerWith: (answer: IntakeAnswer | undefined) => void
}

export const startPlatformIntake = <Type extends DestinationType, Held>(
  rules: PlatformRules<Type, Held>
): Effect.Effect<PlatformIntake<Type, Held>, never, Scope.Scope> =>
  Effect.gen(function* () {
    const held: Held[] = []
    const requests: IntakeRequest[] = []
    const faults: string[] = []
    let forced: IntakeAnswer | undefined
    const fault: Fault = (status, message, body = JSON.stringify({ message })) => {
      faults.push(message)
      return { status, body }
    }
    const origin = yield* listenOnLoopback((request, response) => {
      const parts: Uint8Array[] = []
      request.on("data", (part: Uint8Array) => parts.push(part))
      request.on("end", () => {
        const received: IntakeRequest = {
          method: request.method ?? "",
          path: request.url ?? "",
          headers: request.headers,
          body: new Uint8Array(Buffer.concat(parts))
        }
        requests.push(received)
        const { status, body } = forced ?? rules.receive(received, fault, (one) => void held.push(one))
        response.writeHead(status, { "content-type": "application/json" }).end(body)
      })
    })
    return {
      type: rules.type,
      config: rules.config(origin),
      held,
      requests,
      faults,
      answerWith: (next) => void (forced = next)
    }
  })

/** The JSON of a body; undefined for any other bytes, those that are no UTF-8 among them. */
export const readJson = (body: Uint8Array): unknown => {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body)) as unknown
  } catch {
    return undefined
  }
}
