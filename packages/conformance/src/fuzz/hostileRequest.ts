/** Requests that nobody should send: from nearly right ones to noise. */
import { operations, type OperationId, type OperationShape } from "@gatewarden/contract"
import * as fc from "fast-check"
import { bodies, inputs } from "../arbitraries/inputs.ts"
import { printJson } from "../arbitraries/RawJson.ts"
import { canary, oddValue, spoiled } from "../arbitraries/spoiled.ts"

export interface HostileRequest {
  /** The group of operations that the request is aimed at, if any. */
  readonly tag: string | undefined
  readonly method: string
  /** Below the base path, exactly as it is sent. `\u0000known:N` in it stands for something that an answer named. */
  readonly target: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Uint8Array<ArrayBuffer> | undefined
  readonly key: "management" | "normal" | "none"
  /** How far the clock goes on before the request, in milliseconds. */
  readonly pause: number
}

const known = fc.nat({ max: 200 }).map((pick) => `\u0000known:${pick}`)

/** Puts what was learned in place of what stands for it. */
export const withKnown = (target: string, pool: readonly string[]): string =>
  target.replace(/\u0000known:(\d+)/g, (_, pick: string) =>
    encodeURIComponent(pool[Number(pick) % Math.max(1, pool.length)] ?? "x")
  )

const oddText = fc.oneof(
  fc.constantFrom(
    ...[
      "..",
      ".",
      "%2e%2e",
      "%2E",
      "%2F",
      "%00",
      "%",
      "%zz",
      "%c0%af",
      "%ed%a0%80",
      "%F0%9F%99%82",
      "a%2Fb",
      "a/b",
      "//",
      ";x=1"
    ],
    ...[
      "é",
      "🙂",
      "a b",
      "+",
      "null",
      "undefined",
      "0",
      "-1",
      "1e999",
      "__proto__",
      "constructor",
      "hasOwnProperty",
      canary
    ],
    ...[
      "00000000-0000-4000-8000-000000000000",
      "f".repeat(64),
      "default",
      "x".repeat(257),
      "x".repeat(9000),
      "%41".repeat(300)
    ]
  ),
  fc.string({ unit: "binary", maxLength: 6 }).map(encodeURIComponent),
  fc.string({ unit: "binary-ascii", maxLength: 6 }).map((text) => text.replace(/[?#]/g, ""))
)

const querySeparators = fc.constantFrom("&", "&", "&", ";", "&&", "%26")

const queryOf = (operation: OperationShape): fc.Arbitrary<string> => {
  const declared = inputs(operation.id as OperationId).query
  const name = fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom("limit", "offset", "workspace_id", ...Object.keys(declared)) },
    { weight: 1, arbitrary: oddText }
  )
  const number = fc.constantFrom("0", "1", "100", "101")
  const value = (key: string) =>
    fc.oneof(
      {
        weight: 4,
        arbitrary: (Object.hasOwn(declared, key) ? (declared[key] ?? number) : number).map((text) =>
          encodeURIComponent(String(text))
        )
      },
      { weight: 2, arbitrary: oddText },
      { weight: 1, arbitrary: known }
    )
  const pair = name.chain((key) => value(key).map((text) => `${key}=${text}`))
  return fc.oneof(
    { weight: 3, arbitrary: fc.constant("") },
    {
      weight: 4,
      arbitrary: fc
        .tuple(fc.array(pair, { minLength: 1, maxLength: 4 }), querySeparators)
        .map(([pairs, separator]) => `?${pairs.join(separator)}`)
    },
    { weight: 1, arbitrary: oddText.map((text) => `?${text}`) }
  )
}

const pathOf = (operation: OperationShape): fc.Arbitrary<string> => {
  const declared = inputs(operation.id as OperationId).params
  const segmentsOf = (path: string) =>
    path.split("/").map((segment): fc.Arbitrary<string> => {
      if (!segment.startsWith(":")) return fc.constant(segment)
      const described = declared[segment.slice(1)] ?? fc.constant("x")
      return fc.oneof(
        { weight: 6, arbitrary: known },
        { weight: 3, arbitrary: described.map((value) => encodeURIComponent(String(value))) },
        { weight: 3, arbitrary: oddText }
      )
    })
  const paths = [operation.path, ...(operation.alias === undefined ? [] : [operation.alias])]
  return fc.oneof(...paths.map((path) => fc.tuple(...segmentsOf(path)).map((parts) => parts.join("/"))))
}

const bytes = fc.uint8Array({ maxLength: 40 }).map((array) => new Uint8Array(array))
const utf8 = new TextEncoder()

/** Text with one byte struck out, doubled or turned into another. */
const damaged = (text: fc.Arbitrary<string>): fc.Arbitrary<Uint8Array<ArrayBuffer>> =>
  fc.tuple(text, fc.nat(), fc.nat({ max: 255 }), fc.constantFrom(0, 1, 2)).map(([whole, at, byte, replaced]) => {
    const all = utf8.encode(whole)
    const index = at % (all.length + 1)
    return new Uint8Array([...all.subarray(0, index), byte, ...all.subarray(index + replaced)])
  })

const jsonOf = (operation: OperationShape): fc.Arbitrary<string> => {
  const valid = bodies(inputs(operation.id as OperationId))
  return fc
    .oneof(
      { weight: 4, arbitrary: valid },
      { weight: 8, arbitrary: spoiled(valid) },
      { weight: 1, arbitrary: oddValue },
      { weight: 1, arbitrary: fc.json().map((text) => JSON.parse(text) as unknown) }
    )
    .map(printJson)
}

const multipart = (content: string, field: string, name: string) =>
  `--edge\r\nContent-Disposition: form-data; name="${field}"; filename="${name}"\r\nContent-Type: text/plain\r\n\r\n${content}\r\n--edge--\r\n`

interface Sent {
  readonly body: HostileRequest["body"]
  readonly type: string | undefined
}

const bodyOf = (operation: OperationShape): fc.Arbitrary<Sent> => {
  if (operation.method === "GET") return fc.constant({ body: undefined, type: undefined })
  const json = jsonOf(operation)
  const usual = operation.body?.kind === "file" ? "multipart/form-data; boundary=edge" : "application/json"
  const type = fc.oneof(
    { weight: 16, arbitrary: fc.constant<string | undefined>(usual) },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        ...[
          "",
          "application/json; charset=utf-8",
          "application/json;charset=latin1",
          "text/plain",
          "application/x-ndjson"
        ],
        ...[
          "multipart/form-data",
          "multipart/form-data; boundary=edge",
          "application/x-www-form-urlencoded",
          "a/b; \u00ff",
          undefined
        ]
      )
    }
  )
  const content = fc.oneof(
    { weight: operation.body === undefined ? 1 : 16, arbitrary: json },
    { weight: 2, arbitrary: damaged(json) },
    { weight: 2, arbitrary: bytes },
    { weight: operation.body === undefined ? 8 : 1, arbitrary: fc.constant(undefined) },
    ...(operation.body?.kind === "file"
      ? [
          {
            weight: 20,
            arbitrary: fc
              .tuple(
                fc.string({ maxLength: 20 }),
                fc.constantFrom("file", "file", "file", "other", ""),
                fc.constantFrom("a.txt", "", "../é", "x".repeat(400))
              )
              .map(([text, field, name]) => multipart(text, field, name))
          }
        ]
      : []),
    ...(operation.body?.kind === "jsonOrLines"
      ? [{ weight: 6, arbitrary: fc.array(json, { maxLength: 3 }).map((lines) => lines.join("\n")) }]
      : [])
  )
  return fc.record({ body: content, type })
}

const oddHeaders: fc.Arbitrary<Readonly<Record<string, string>>> = fc
  .array(
    fc.oneof(
      fc
        .constantFrom("a", "b", "", "x".repeat(256), "é", "with space")
        .map((value) => ["idempotency-key", value] as const),
      fc
        .constantFrom("a-b.c_d", "x".repeat(129), "a b", "", "<script>")
        .map((value) => ["x-request-id", value] as const),
      fc.constantFrom("*", '"x"', 'W/"x", "y"', "garbage", "").map((value) => ["if-none-match", value] as const),
      fc.constantFrom("speakeasy-sdk/", "x", "").map((value) => ["user-agent", value] as const),
      fc
        .constantFrom(
          "Bearer",
          "Bearer  ",
          "Basic eDp5",
          "bearer a, bearer b",
          "Bearer é",
          "Bearer gwm-v1-x",
          "\t",
          "x".repeat(9000)
        )
        .map((value) => ["authorization", value] as const),
      fc
        .constantFrom("0", "-1", "abc", "1e9", "999999999999", "9".repeat(40))
        .map((value) => ["content-length", value] as const),
      fc.constantFrom("text/html", "*/*;q=x", "").map((value) => ["accept", value] as const),
      fc.constantFrom("x".repeat(257), "s", "é").map((value) => ["x-session-id", value] as const),
      fc.constantFrom("eu.example.com", "a, b", "").map((value) => ["x-forwarded-host", value] as const)
    ),
    { maxLength: 2 }
  )
  .map((pairs) => Object.fromEntries(pairs))

const headers = fc.oneof({ weight: 3, arbitrary: fc.constant({}) }, { weight: 2, arbitrary: oddHeaders })
const key = fc.oneof(
  { weight: 10, arbitrary: fc.constant("management" as const) },
  { weight: 3, arbitrary: fc.constant("normal" as const) },
  { weight: 1, arbitrary: fc.constant("none" as const) }
)
const pause = fc.constantFrom(0, 0, 1, 500, 2_000, 10_000)
const methods = ["GET", "HEAD", "POST", "PATCH", "PUT", "DELETE", "OPTIONS", "PROPFIND"] as const

const aimed = (operation: OperationShape): fc.Arbitrary<HostileRequest> =>
  fc
    .record({
      path: pathOf(operation),
      query: queryOf(operation),
      sent: bodyOf(operation),
      headers,
      key,
      pause,
      method: fc.oneof(
        { weight: 30, arbitrary: fc.constant<string>(operation.method) },
        { weight: 1, arbitrary: fc.constantFrom(...methods) }
      )
    })
    .map(({ path, query, sent, method, headers: others, ...rest }) => ({
      ...rest,
      tag: operation.tag,
      method,
      target: path + query,
      headers: { ...(sent.type === undefined ? {} : { "content-type": sent.type }), ...others },
      body: method === "GET" || method === "HEAD" ? undefined : sent.body
    }))

/** A path of known words and odd ones in any order. */
const astray: fc.Arbitrary<HostileRequest> = fc
  .record({
    parts: fc.array(fc.oneof(oddText, fc.constantFrom(...operations.flatMap(({ path }) => path.slice(1).split("/")))), {
      maxLength: 6
    }),
    start: fc.constantFrom("/", "", "//", "/%2f"),
    method: fc.constantFrom(...methods),
    headers,
    key,
    pause
  })
  .map(({ parts, start, ...rest }) => ({
    ...rest,
    tag: undefined,
    target: start + parts.join("/"),
    body: undefined
  }))

export const hostileRequest: fc.Arbitrary<HostileRequest> = fc.oneof(
  {
    weight: operations.length * 10,
    arbitrary: fc.oneof(...operations.map((operation: OperationShape) => aimed(operation)))
  },
  { weight: operations.length, arbitrary: astray }
)
