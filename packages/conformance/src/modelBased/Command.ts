/** A way to call an operation at random: a line or two per operation; the rest comes from its declaration. */
import type { OperationId } from "@gatewarden/contract"
import * as fc from "fast-check"
import { type Arbitraries, bodies, inputs, type Inputs } from "../arbitraries/inputs.ts"
import { members } from "../arbitraries/fromJsonSchema.ts"
import { oddValue, spoiled } from "../arbitraries/spoiled.ts"
import type { Answer } from "../World.ts"
import { type Kind, Reference, some, type Thing } from "./Thing.ts"

/** Which of the two accounts calls, and with what. */
export interface Who {
  readonly account: 0 | 1
  readonly key: "management" | "normal" | "operator" | "gateway" | "none" | Reference
}

/** A call before its words are resolved. */
export interface SymbolicCall {
  readonly operation: OperationId
  readonly who: Who
  readonly params: Readonly<Record<string, unknown>>
  readonly query: Readonly<Record<string, unknown>>
  readonly headers: Readonly<Record<string, unknown>>
  /** `undefined`: none. */
  readonly body: unknown
}

/** What an answer adds to the things that later calls can name. */
export type Keeps = Partial<Record<Kind, (json: Answer["json"], sent: SymbolicCall) => Thing | readonly Thing[]>>

export interface Command {
  readonly operation: OperationId
  /** How often the operation is called, beside the others. */
  readonly weight: number
  readonly call: fc.Arbitrary<SymbolicCall>
  readonly keeps: Keeps
  /** Calls that read everything that there is to read, made when a run ends. */
  readonly readAll: readonly { readonly kind: Kind | undefined; readonly params: Readonly<Record<string, string>> }[]
}

export interface CommandParts {
  readonly weight?: number
  /** Path parameters that are more than random text. */
  readonly params?: Arbitraries
  /** In place of what the declaration says of these query parameters. */
  readonly query?: Arbitraries
  /** In place of what the declaration says of these members of the body, or of the whole body. */
  readonly body?: Arbitraries | fc.Arbitrary<unknown>
  /** Members of the body that only make sense together. */
  readonly together?: fc.Arbitrary<object>
  readonly headers?: Arbitraries
  readonly keeps?: Keeps
  /** The operation reads one thing of this kind, named by these path parameters: each is the thing's field. */
  readonly reads?: { readonly kind: Kind; readonly params: Readonly<Record<string, string>> }
}

const management = { weight: 30, arbitrary: fc.constant<Who>({ account: 0, key: "management" }) }
const normal = { weight: 2, arbitrary: fc.constant<Who>({ account: 0, key: "normal" }) }
const made = {
  weight: 2,
  arbitrary: fc
    .tuple(fc.constantFrom(0 as const, 1 as const), some("key", "key"))
    .map(([account, key]): Who => ({ account, key }))
}
const neighbour = { weight: 6, arbitrary: fc.constant<Who>({ account: 1, key: "management" }) }
const operator = { weight: 12, arbitrary: fc.constant<Who>({ account: 0, key: "operator" }) }
const gateway = { weight: 12, arbitrary: fc.constantFrom<Who>({ account: 0, key: "gateway" }) }
const none = { weight: 1, arbitrary: fc.constant<Who>({ account: 0, key: "none" }) }

const callers: Record<Inputs["operation"]["access"] | "gatewayKey" | "operator", fc.Arbitrary<Who>> = {
  // The operator's account has an id of its own in each installation, so it does nothing that shows it.
  operator: fc.oneof(management, operator, gateway, normal, none),
  gatewayKey: fc.oneof(management, gateway, neighbour, normal, made, none),
  managementKey: fc.oneof(management, neighbour, normal, made, { ...gateway, weight: 1 }, none),
  anyKey: fc.oneof(
    management,
    { ...normal, weight: 20 },
    { ...made, weight: 12 },
    neighbour,
    { ...gateway, weight: 1 },
    none
  ),
  anyone: fc.oneof({ ...none, weight: 40 }, management, normal)
}

const repeatable: Arbitraries = { "idempotency-key": fc.constantFrom("one", "two") }
const conditional: Arbitraries = { "if-none-match": fc.oneof(some("etag", "value"), fc.constantFrom("*", '"x"')) }

const headersOf = ({ operation }: Inputs, own: Arbitraries = {}): fc.Arbitrary<Record<string, unknown>> =>
  fc.oneof(
    { weight: 3, arbitrary: fc.constant({}) },
    {
      weight: 1,
      arbitrary: members(
        {
          "user-agent": fc.constantFrom("speakeasy-sdk/typescript 1.3.19", "curl/8"),
          ...(operation.method === "POST" ? repeatable : {}),
          ...(operation.success.etag === true ? conditional : {}),
          ...own
        },
        []
      )
    }
  )

/** Mostly as given, now and then odd. */
const sometimesOdd = (values: Arbitraries): Arbitraries =>
  Object.fromEntries(
    Object.entries(values).map(([name, arbitrary]) => [
      name,
      fc.oneof(
        { weight: 24, arbitrary },
        { weight: 1, arbitrary: oddValue.filter((odd) => typeof odd === "string" && odd.length < 600) }
      )
    ])
  )

const isArbitrary = (value: CommandParts["body"]): value is fc.Arbitrary<unknown> => value instanceof fc.Arbitrary

const bodyOf = (declared: Inputs, { body, together }: CommandParts): fc.Arbitrary<unknown> => {
  if (isArbitrary(body)) return body
  if (declared.body === undefined) return fc.constant(undefined)
  const separate = bodies({ ...declared, body: { ...declared.body, ...body } })
  if (together === undefined) return separate
  return fc.tuple(separate, together).map(([members, more]) => ({ ...(members as object), ...more }))
}

export const command = (operation: OperationId, parts: CommandParts = {}): Command => {
  const declared = inputs(operation)
  const params = { ...declared.params, ...parts.params }
  const valid = bodyOf(declared, parts)
  const hasBody = declared.body !== undefined || isArbitrary(parts.body)
  return {
    operation,
    weight: parts.weight ?? 2,
    call: fc.record({
      operation: fc.constant(operation),
      who: callers[
        operation === "putCatalog"
          ? "operator"
          : declared.operation.gatewayKey
            ? "gatewayKey"
            : declared.operation.access
      ],
      params: fc.record(sometimesOdd(params)),
      query: members(sometimesOdd({ ...declared.query, ...parts.query }), []),
      headers: headersOf(declared, parts.headers),
      body: hasBody ? fc.oneof({ weight: 12, arbitrary: valid }, { weight: 1, arbitrary: spoiled(valid) }) : valid
    }),
    keeps: parts.keeps ?? {},
    readAll:
      declared.operation.method !== "GET"
        ? []
        : parts.reads !== undefined
          ? [parts.reads]
          : Object.keys(params).length === 0
            ? [{ kind: undefined, params: {} }]
            : []
  }
}

/** The object that a single-object answer wraps. */
export const dataOf = (json: Answer["json"]): Thing => json.data
