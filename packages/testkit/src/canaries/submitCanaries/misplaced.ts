/** Every operation, with secrets where none belong. */
import type { OperationShape } from "@gatewarden/contract"
import type { CanarySender } from "../CanarySender.ts"

export const misplaced = async ({ send, any }: CanarySender, operation: OperationShape): Promise<void> => {
  const { method } = operation
  const pathWith = (value: (name: string) => string) =>
    operation.path.replace(/:([a-z_]+)/g, (_, name: string) => encodeURIComponent(value(name)))
  const params = operation.example.params ?? {}
  const path = pathWith((name) => params[name] ?? "x")
  const example = operation.body?.kind === "file" ? undefined : operation.example.body
  const body = example === undefined ? {} : { body: example }

  for (const authorization of [
    `Bearer ${any()}`,
    `Bearer gwm-v1-${any()}`,
    `Bearer gw-v1-${any()}0`,
    `Basic ${any()}`,
    `Bearer ${any()} ${any()}`,
    `Bearer ${any()}, Bearer ${any()}`,
    any()
  ])
    await send(method, path, operation.access === "anyone" ? "any" : 401, { headers: { authorization }, ...body })

  // Good requests with secrets in headers, and their repetitions.
  const headers = {
    "idempotency-key": any(),
    "x-api-key": any(),
    cookie: `session=${any()}`,
    "user-agent": any(),
    referer: `https://example.com/?key=${any()}`,
    "x-session-id": any(),
    "if-none-match": `"${any()}"`,
    "x-forwarded-host": any(),
    traceparent: `00-${any()}-${any()}-01`,
    b3: `${any()}-${any()}-1`,
    tracestate: `vendor=${any()}`,
    baggage: `key=${any()}`,
    accept: `text/${any()}`,
    "x-request-id": `${any()}!`
  }
  for (let time = 0; time < 2; time++) await send(method, path, "any", { headers, ...body })
  await send(method, path, "any", { headers: { "idempotency-key": `${any()} ` + any() }, ...body })

  const names = ["limit", "token", ...Object.keys(operation.query?.shape ?? {})]
  for (const query of [
    any(),
    ...names.map((name) => `${name}=${any()}`),
    `limit=${any()}&limit=${any()}`,
    `%zz${any()}`
  ])
    await send(method, `${path}?${query}`, "any", body)

  // Unknown fields are ignored. Where nothing is required either, an object of them would make a thing that is named by its path.
  const requiresNothing = operation.body?.kind === "json" && operation.body.schema.safeParse({}).success
  if (operation.params !== undefined) {
    const stray = { key: any() }
    await send(method, pathWith(any), "refused", method === "GET" ? {} : { body: requiresNothing ? [stray] : stray })
  }
  await send(method, `${path}/${any()}`, "refused", body)
  await send(method, `/${any()}${path}?key=${any()}`, "refused", body)
  await send("OPTIONS", `${path}?key=${any()}`, 405)

  if (operation.body === undefined || method === "GET") return
  const secret = any()
  for (const text of [
    `{"key":"${secret}"`,
    `{"key":"${secret}","key":"${secret}"}`,
    `{"${secret}":1,"${secret}":2}`,
    `{"key":"${secret}\\u0000"}`,
    `{"key":${secret}}`,
    `"${secret}"`,
    `["${secret}"]`
  ])
    await send(method, path, "refused", { body: text })
  await send(method, path, requiresNothing ? "any" : "refused", { body: `{"${secret}":"${secret}"}` })
  for (const type of ["text/plain", `application/${any()}`, `application/json; charset=${any()}`])
    await send(method, path, "refused", { body: JSON.stringify({ key: any() }), headers: { "content-type": type } })
  if (operation.body.kind === "json" && operation.body.maxBytes <= 1_048_576)
    // Calls that are limited in time may have used up their limit before.
    await send(method, path, operation.rateLimits === undefined ? 413 : "refused", {
      body: `{"key":"${any()}${" ".repeat(operation.body.maxBytes)}`
    })
  if (typeof example !== "object" || example === null) return
  for (const field of Object.keys(example)) {
    await send(method, path, requiresNothing ? "any" : "refused", { body: { ...example, [field]: [[any()]] } })
    await send(method, path, requiresNothing ? "any" : "refused", {
      body: { ...example, [field]: [{ [any()]: any() }] }
    })
  }
}
