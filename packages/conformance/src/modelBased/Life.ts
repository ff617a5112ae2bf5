/** One run on both installations: what was met, what was sent, and the step at which the two part. */
import { type OperationId, operations, type OperationShape } from "@gatewarden/contract"
import { printJson } from "../arbitraries/RawJson.ts"
import { inTime } from "../inTime.ts"
import type { Answer, Call, World } from "../World.ts"
import type { Command, Keeps, SymbolicCall, Who } from "./Command.ts"
import { differences } from "./differences.ts"
import type { Pair, Twins } from "./Pair.ts"
import { type Kind, resolve, type Thing } from "./Thing.ts"

export type Step =
  | { readonly kind: "call"; readonly call: SymbolicCall }
  | { readonly kind: "wait"; readonly millis: number }
  /** What the background does for erasures that are due. */
  | { readonly kind: "erase" }
  /** Sends an earlier request of the run again, counted from the last. */
  | { readonly kind: "repeat"; readonly back: number; readonly times: number }

/** A step after which the two installations disagree, with everything that led there. */
export class Disagreement extends Error {
  override readonly name = "Disagreement"
}

/** How often each operation answered with each status, and why. */
export type Tally = Map<OperationId, Map<string, number>>

/** A call with every word resolved. */
interface Sent {
  readonly operation: OperationId
  readonly symbolic: SymbolicCall
  readonly call: Call
  /** The call in words. */
  readonly line: string
}

type Attempt = { readonly answer: Answer } | { readonly broken: string }

const byId = new Map(operations.map((operation: OperationShape) => [operation.id, operation]))

const accounts = [0, 1] as const

const shorten = (text: string, length: number): string =>
  text.length > length ? `${text.slice(0, length)}… (${text.length} characters)` : text

/** What the world answers, or how the answer breaks the contract. */
const attempt = async (world: World, { operation, call }: Sent): Promise<Attempt> => {
  try {
    const answer = await inTime(world.call(operation, call))
    // Of what a provider does wrong an answer may tell; nothing else goes wrong here.
    const failed = answer.status >= 500 && answer.status !== 502
    return failed ? { broken: `${answer.status}: ${shorten(answer.text, 400)}` } : { answer }
  } catch (cause) {
    return { broken: shorten(cause instanceof Error ? cause.message : String(cause), 1000) }
  }
}

const inWords = (operation: OperationId, { account, key }: Who, call: Call): string => {
  const { method, path } = byId.get(operation) as OperationShape
  const { params = {}, query = "", headers = {}, body } = call
  return [
    `${typeof key === "string" ? key : shorten(String(call.key), 20)} key of account ${account}:`,
    method,
    path.replace(/:([a-z_]+)/g, (_, name: string) => encodeURIComponent(params[name] ?? "")) +
      (query === "" ? "" : `?${String(query)}`),
    ...Object.entries(headers).map(([name, text]) => `[${name}: ${shorten(text, 80)}]`),
    ...(body === undefined ? [] : [typeof body === "string" ? shorten(body, 600) : "(a file)"])
  ].join(" ")
}

export class Life {
  readonly #pair: Pair
  readonly #twins: readonly [Twins, Twins]
  readonly #commands: ReadonlyMap<OperationId, Command>
  readonly #tally: Tally
  readonly #things = new Map<Kind, { readonly account: 0 | 1; readonly thing: Thing }[]>()
  readonly #history: Sent[] = []
  readonly #log: string[] = []
  #step = 0

  private constructor(
    pair: Pair,
    twins: readonly [Twins, Twins],
    commands: ReadonlyMap<OperationId, Command>,
    tally: Tally
  ) {
    this.#pair = pair
    this.#twins = twins
    this.#commands = commands
    this.#tally = tally
    for (const account of accounts) {
      const { reference } = twins[account]
      this.#keep(account, "account", { id: reference.account_id })
      this.#keep(account, "workspace", { id: reference.workspace_id, slug: "default" })
      this.#keep(account, "guardrail", { id: reference.default_guardrail_id })
      this.#keep(account, "key", { hash: reference.normalKeyHash, key: reference.normalKey })
      this.#keep(account, "user", { id: "user-1" })
    }
  }

  /** Begins with two new accounts. */
  static async begin(pair: Pair, commands: ReadonlyMap<OperationId, Command>, tally: Tally): Promise<Life> {
    return new Life(pair, await pair.newRun(), commands, tally)
  }

  /** Takes the steps, then reads everything that there is to read. Fails with a `Disagreement`. */
  async live(steps: readonly Step[]): Promise<void> {
    for (const step of steps) await this.#take(step)
    await this.#readAll()
  }

  async #take(step: Step): Promise<void> {
    this.#pair.beginStep(this.#step++)
    if (step.kind === "wait") {
      this.#pair.turnClock(step.millis)
      return this.#tell(`wait ${step.millis} ms, until ${new Date(this.#pair.now).toISOString()}`)
    }
    if (step.kind === "erase") {
      await this.#pair.erase()
      return this.#tell("erase who is due")
    }
    const sent = step.kind === "call" ? this.#resolved(step.call) : this.#earlier(step.back)
    if (sent === undefined) return
    this.#history.push(sent)
    const times = step.kind === "repeat" ? step.times : 1
    for (let time = 1; time <= times; time++) this.#learn(sent, await this.#send(sent, true))
  }

  /** Whatever the answers of the run did not show is compared once more at its end. */
  async #readAll(): Promise<void> {
    for (const { operation, readAll } of this.#commands.values())
      for (const { kind, params } of readAll)
        for (const { thing } of kind === undefined ? [{ thing: {} as Thing }] : (this.#things.get(kind) ?? []))
          for (const account of accounts) {
            const named = Object.fromEntries(Object.entries(params).map(([name, field]) => [name, thing[field]]))
            const who = { account, key: "management" } as const
            this.#pair.beginStep(this.#step++)
            await this.#send(
              this.#resolved({ operation, who, params: named, query: {}, headers: {}, body: undefined }),
              false
            )
          }
  }

  /** Sends to both and compares. Unless `told`, the log has the call only if it shows a difference. */
  async #send(sent: Sent, told: boolean): Promise<Answer> {
    const { reference, subject } = this.#twins[sent.symbolic.who.account]
    const left = await attempt(reference, sent)
    const right = await attempt(subject, sent)
    const found =
      "answer" in left && "answer" in right
        ? differences(sent.operation, left.answer, right.answer)
        : [
            ...("broken" in left ? [`the reference breaks the contract: ${left.broken}`] : []),
            ...("broken" in right ? [`the store breaks the contract: ${right.broken}`] : [])
          ]
    const line = `${sent.line}${"answer" in left ? ` → ${left.answer.status}` : ""}`
    if (told || found.length > 0) this.#tell(line)
    if ("broken" in left || found.length > 0)
      throw new Disagreement(
        [...this.#log, "     reference ≠ store:", ...found.map((one) => `       ${one}`)].join("\n")
      )
    this.#count(sent.operation, left.answer)
    return left.answer
  }

  #learn({ operation, symbolic }: Sent, { status, headers, json }: Answer): void {
    if (status >= 300) return
    const { account } = symbolic.who
    const etag = headers.get("etag")
    if (etag !== null) this.#keep(account, "etag", { value: etag })
    const keeps: Keeps = this.#commands.get(operation)?.keeps ?? {}
    for (const [kind, pick] of Object.entries(keeps)) this.#keep(account, kind as Kind, pick(json, symbolic))
  }

  #keep(account: 0 | 1, kind: Kind, found: Thing | readonly Thing[]): void {
    const known = this.#things.get(kind) ?? []
    for (const thing of Array.isArray(found) ? (found as readonly Thing[]) : [found as Thing])
      known.push({ account, thing })
    this.#things.set(kind, known)
  }

  #resolved(symbolic: SymbolicCall): Sent {
    const { operation, who } = symbolic
    const occasion = { things: this.#things, account: who.account, now: this.#pair.now }
    const strings = (record: object): Record<string, string> =>
      Object.fromEntries(
        Object.entries(resolve(record, occasion) as object).map(([name, value]) => [name, String(value)])
      )
    const body = resolve(symbolic.body, occasion)
    const { reference } = this.#twins[who.account]
    const keys = {
      management: reference.managementKey,
      normal: reference.normalKey,
      operator: reference.operatorKey,
      gateway: reference.gatewayKey,
      none: null
    }
    const call: Call = {
      params: strings(symbolic.params),
      query: new URLSearchParams(strings(symbolic.query)).toString(),
      headers: strings(symbolic.headers),
      key: typeof who.key === "string" ? keys[who.key] : String(resolve(who.key, occasion)),
      ...(body === undefined ? {} : { body: body instanceof FormData ? body : printJson(body) })
    }
    return { operation, symbolic, call, line: inWords(operation, who, call) }
  }

  #earlier(back: number): Sent | undefined {
    return this.#history.at(-1 - (back % Math.max(1, this.#history.length)))
  }

  #count(operation: OperationId, { status, json }: Answer): void {
    const outcomes = this.#tally.get(operation) ?? new Map<string, number>()
    const reason: unknown = json?.error?.metadata?.reason
    const outcome = typeof reason === "string" ? `${status} ${reason}` : String(status)
    this.#tally.set(operation, outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1))
  }

  #tell(line: string): void {
    this.#log.push(`${String(this.#log.length + 1).padStart(3)}. ${line}`)
  }
}
