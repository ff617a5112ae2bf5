/**
 * What the Terraform provider does with a resource, from the table: the requests that it sends, what it takes from the answers, and
 * what a plan finds different afterwards.
 */
import { assert } from "@effect/vitest"
import type { Attribute, Call, ProviderResource } from "./ProviderResource.ts"

/** Values of attributes. A plan has those that the user wrote; a state has all. */
export type Values = Readonly<Record<string, unknown>>

export interface Reply {
  readonly status: number
  // oxlint-disable-next-line typescript/no-explicit-any -- the table says what is in it
  readonly json: any
}

export type Send = (method: string, path: string, body?: unknown) => Promise<Reply>

const pageSize = 100

/** Terraform compares points in time, not how they are written. */
const decode = (name: string, { form, nullable, oneOf }: Attribute, value: unknown): unknown => {
  if (value === undefined || value === null) {
    assert.isTrue(nullable, `${name} is ${value}`)
    return null
  }
  const said = `${name}: ${JSON.stringify(value)}`
  const words = (items: readonly unknown[]) => {
    for (const item of items) if (oneOf !== undefined) assert.include(oneOf, item, said)
  }
  switch (form) {
    case "instant":
      assert.isString(value, said)
      assert.isFalse(Number.isNaN(Date.parse(value as string)), said)
      return new Date(value as string).toISOString()
    case "text":
      assert.isString(value, said)
      words([value])
      return value
    case "number":
      assert.isNumber(value, said)
      return value
    case "flag":
      assert.isBoolean(value, said)
      return value
    case "object":
      assert.isObject(value, said)
      return value
    case "texts":
    case "numbers":
    case "objects": {
      assert.isArray(value, said)
      const type = { texts: "string", numbers: "number", objects: "object" }[form]
      for (const item of value as readonly unknown[]) assert.strictEqual(typeof item, type, said)
      words(value as readonly unknown[])
      return value
    }
  }
}

/** Whether a value of the state has all that was planned. The server may fill what the plan leaves open inside an object. */
const covers = (planned: unknown, found: unknown): boolean => {
  if (Array.isArray(planned))
    return (
      Array.isArray(found) &&
      planned.length === found.length &&
      planned.every((item, at) => covers(item, (found as readonly unknown[])[at]))
    )
  if (typeof planned !== "object" || planned === null) return planned === found
  return (
    typeof found === "object" &&
    found !== null &&
    Object.entries(planned).every(([name, value]) => covers(value, (found as Values)[name]))
  )
}

export const makeTerraformProvider = (resource: ProviderResource, send: Send) => {
  const attributes = Object.entries(resource.attributes)

  const pathOf = ({ path, query = {} }: Call, values: Values): string => {
    const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
      assert.isString(values[name], `${path}: ${name}`)
      return encodeURIComponent(values[name] as string)
    })
    const search = new URLSearchParams(
      Object.entries(query).flatMap(([parameter, name]) =>
        typeof values[name] === "string" ? [[parameter, values[name]]] : []
      )
    ).toString()
    return search === "" ? filled : `${filled}?${search}`
  }

  const bodyOf = ({ sends, sendsInList = {} }: Call, values: Values): Values | undefined => {
    const single = (sends ?? []).flatMap((name) => {
      const value = values[name]
      return value === undefined || value === null ? [] : [[resource.attributes[name]?.field ?? name, value] as const]
    })
    const lists = Object.entries(sendsInList).map(([list, name]) => [list, [values[name]]] as const)
    return sends === undefined && lists.length === 0 ? undefined : Object.fromEntries([...single, ...lists])
  }

  /** The attributes that an object of an answer has; the others stay. */
  const taken = (values: Values, data: Values, beside: Values = {}, isCreation = false): Values => ({
    ...values,
    ...Object.fromEntries(
      attributes.flatMap(([name, attribute]) => {
        if (attribute.unread === true || (attribute.once === true && !isCreation)) return []
        const from = attribute.beside === true || attribute.once === true ? beside : data
        return [[name, decode(name, attribute, from[attribute.field ?? name])]]
      })
    )
  })

  const found = (call: Call, values: Values, items: readonly Values[]): Values | undefined =>
    items.find((item) => Object.entries(call.finds ?? {}).every(([name, field]) => item[field] === values[name]))

  /** The members of a list that stand for an object, and that name only a part of it. */
  const takenFromItem = (values: Values, item: Values): Values => ({
    ...values,
    ...Object.fromEntries(
      attributes.flatMap(([name, attribute]) => (name in item ? [[name, decode(name, attribute, item[name])]] : []))
    )
  })

  /** The object in the pages of a list; `undefined` if it is in none, or the list is not there. */
  const look = async (call: Call, values: Values): Promise<Values | undefined> => {
    for (let offset = 0; ;) {
      const { status, json } = await send("GET", `${pathOf(call, values)}?offset=${offset}&limit=${pageSize}`)
      if (status === 404) return undefined
      assert.strictEqual(status, call.status, JSON.stringify(json))
      const item = found(call, values, json.data)
      if (item !== undefined) return takenFromItem(values, item)
      assert.isNumber(json.total_count)
      offset += json.data.length
      if (json.data.length === 0 || offset >= json.total_count) return undefined
    }
  }

  const take = ({ takes, counts }: Call, values: Values, { status, json }: Reply): Values => {
    if (counts !== undefined) assert.strictEqual(json[counts], 1, counts)
    if (takes === "nothing") return values
    if (takes === undefined) return taken(values, json.data, json, status === 201)
    return {
      ...values,
      ...Object.fromEntries(Object.entries(takes).map(([name, field]) => [name, json.data[field]]))
    }
  }

  const read = async (state: Values): Promise<Values | undefined> => {
    let values = state
    for (const call of resource.read) {
      if (call.finds !== undefined) {
        const next = await look(call, values)
        if (next === undefined) return undefined
        values = next
        continue
      }
      const reply = await send(call.method, pathOf(call, values))
      if (reply.status === 404 && call.absentIsUnwritten === true)
        return Object.fromEntries(
          attributes.map(([name]) => [name, name === "id" || name === "workspace_id" ? (values[name] ?? null) : null])
        )
      if (reply.status === 404) return undefined
      assert.strictEqual(reply.status, call.status, `${call.method} ${call.path}: ${JSON.stringify(reply.json)}`)
      values = take(call, values, reply)
    }
    return values
  }

  /** What was planned counts more than what was answered: only the next read finds a difference. */
  const write = async (calls: readonly Call[], state: Values, plan: Values): Promise<Values> => {
    let values: Values = { ...state, ...plan }
    for (const call of calls) {
      const reply = await send(call.method, pathOf(call, values), bodyOf(call, values))
      assert.strictEqual(reply.status, call.status, `${call.method} ${call.path}: ${JSON.stringify(reply.json)}`)
      if (call.finds === undefined) values = { ...take(call, values, reply), ...plan }
      else {
        const item = found(call, values, reply.json.data)
        const next = item === undefined ? await read(values) : takenFromItem(values, item)
        assert.isDefined(next, `${call.method} ${call.path} added nothing`)
        values = { ...(next as Values), ...plan }
      }
    }
    return values
  }

  return {
    create: (plan: Values): Promise<Values> => write(resource.create, {}, plan),
    update: (state: Values, plan: Values): Promise<Values> => write(resource.update, state, plan),
    /** `undefined`: it is gone, and Terraform plans to create it. */
    read,
    destroy: async (state: Values): Promise<void> => {
      for (const call of resource.destroy) {
        const { status, json } = await send(call.method, pathOf(call, state), bodyOf(call, state))
        assert.include([call.status, 404], status, JSON.stringify(json))
      }
    },
    import: (state: Values): Promise<Values | undefined> =>
      read(Object.fromEntries(resource.importedBy.map((name) => [name, state[name]]))),
    /** The attributes that a plan would change. */
    differences: (plan: Values, state: Values): readonly string[] =>
      Object.keys(plan).filter((name) => {
        const attribute = resource.attributes[name]
        assert.isDefined(attribute, name)
        if (attribute?.unread === true) return false
        return !covers(decode(name, attribute as Attribute, plan[name]), state[name])
      })
  }
}

export type TerraformProvider = ReturnType<typeof makeTerraformProvider>

/** What an import has, too. */
export const readable = ({ attributes }: ProviderResource, state: Values): Values =>
  Object.fromEntries(
    Object.entries(attributes).flatMap(([name, attribute]) =>
      attribute.unread === true || attribute.once === true
        ? []
        : [
            [
              name,
              attribute.form === "instant" && state[name] != null
                ? decode(name, attribute, state[name])
                : (state[name] ?? null)
            ]
          ]
    )
  )
