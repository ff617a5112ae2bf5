/**
 * Pages of lists with 100,000 rows, beside the statements that a person would write for the same page: `LIMIT` and `OFFSET`, the count
 * where the envelope has one, and the rows as JSON. Once through the port of the store, once through `fetch` of an instance, which also
 * authenticates, decodes and prints.
 *
 * The bare statements are sent by `pg` as it is after `npm install`: a pool of ten connections. They have no key to look up and make no
 * `Response`, so the second row has them for less than a server would.
 */
import type { Gatewarden } from "@gatewarden/core"
import type { Services } from "@gatewarden/core/effect"
import { createGatewarden } from "@gatewarden/node"
import { postgres } from "@gatewarden/postgres"
import type { Effect } from "effect"
import { hash } from "node:crypto"
import { Pool } from "pg"
import { execute } from "@gatewarden/testkit/stores/postgresServer"
import { callConcurrently } from "../callConcurrently.ts"
import { account, seedLists } from "../growth/seedRows.ts"
import { benchedLists, type BenchedList, keptRows, type Page } from "../benchedLists.ts"
import type { Race } from "../Measure.ts"
import { type Bench, connections } from "../openBench.ts"
import { type Library, openLibrary } from "../openLibrary.ts"

const offsets = [0, 1_000, 10_000]

const key = `bench-${"l".repeat(40)}`
const authorization = `Bearer ${key}`

const insertKey = `insert into gatewarden_api_key (hash, account_id, kind, name, label, disabled, include_byok_in_limit, created_at)
  values ('${hash("sha256", key, "hex")}', '${account}', 'management', 'bench', 'sk-...', false, false, now())`

interface Opened {
  readonly databaseUrl: string
  readonly library: Library
  readonly gatewarden: Gatewarden
}

const firstPage: Page = { limit: 50, offset: 0 }

/** Calls of each list before any is measured: the first rows would else be of programs that have just started. */
const warmUps = 300

const openLists = async (bench: Bench): Promise<Opened> => {
  const databaseUrl = await bench.createDatabase()
  const gatewarden = await createGatewarden({ store: postgres({ url: databaseUrl }), keyring: bench.keyring })
  bench.onClose(gatewarden.close)
  await execute(databaseUrl, ...seedLists(keptRows), insertKey, "vacuum analyze")
  const library = await openLibrary({ ...bench, databaseUrl, authorization })
  bench.onClose(library.close)
  for (const { port, path } of benchedLists)
    for (let call = 0; call < warmUps; call++) {
      await library.run(port(firstPage))
      await bodyOf(gatewarden, `http://bench${gatewarden.basePath}${path(firstPage)}`)
    }
  return { databaseUrl, gatewarden, library }
}

const opened = new WeakMap<Bench, Promise<Opened>>()

/** One database and one instance for all lists, made by the first: what is compiled for one list serves the next. */
const listsOf = (bench: Bench): Promise<Opened> => {
  const known = opened.get(bench)
  if (known !== undefined) return known
  const made = openLists(bench)
  opened.set(bench, made)
  return made
}

/** A failure ends the process: there is none to measure. */
const counted = (call: () => Promise<unknown>) =>
  callConcurrently(connections, (_, onDone) => {
    call().then(onDone, (cause: unknown) => {
      throw new Error("A page was not read", { cause })
    })
  })

const whole = "bare, `pg`"
const pageAlone = "bare, `pg`, without the count"

const openBare = (databaseUrl: string, page: string, besides: readonly string[]) => {
  const pool = new Pool({ connectionString: databaseUrl })
  const read = async (statements: readonly string[]) => {
    const [found, ...others] = await Promise.all(statements.map((text) => pool.query(text)))
    const data: readonly unknown[] = found?.rows ?? []
    return { data, body: JSON.stringify({ data, besides: others.map(({ rows }) => rows as unknown) }) }
  }
  return {
    contenders: {
      [whole]: counted(() => read([page, ...besides])),
      ...(besides.length === 0 ? {} : { [pageAlone]: counted(() => read([page])) })
    },
    read: () => read([page, ...besides]),
    close: () => pool.end()
  }
}

const requireRows = (rows: readonly unknown[], expected: number, who: string) => {
  if (rows.length !== expected) throw new Error(`Expected ${expected} rows of ${who}, found ${rows.length}`)
}

const share = 0.1

const throughPort = ({ name, rows, count, port }: BenchedList, page: Page): Race => ({
  kind: "race",
  name: `List of ${name}, offset ${page.offset}, port`,
  atLeast: 0.7,
  share,
  open: async (bench) => {
    const { databaseUrl, library } = await listsOf(bench)
    const bare = openBare(databaseUrl, rows(page), count === undefined ? [] : [count])
    const effect: Effect.Effect<readonly unknown[] | { readonly data: readonly unknown[] }, unknown, Services> =
      port(page)
    const found = await library.run(effect)
    requireRows("data" in found ? found.data : found, page.limit, `${name}, port`)
    requireRows((await bare.read()).data, page.limit, `${name}, bare`)
    return {
      ours: counted(async () => JSON.stringify(await library.run(effect))),
      bare: bare.contenders,
      gated: whole,
      close: bare.close
    }
  }
})

/** As bytes: to decode them is the client's work. */
const bodyOf = async (gatewarden: Gatewarden, url: string): Promise<Uint8Array> => {
  const answer = await gatewarden.fetch(new Request(url, { headers: { authorization } }))
  const body = new Uint8Array(await answer.arrayBuffer())
  if (answer.status !== 200) throw new Error(new TextDecoder().decode(body))
  return body
}

const throughFetch = ({ name, path, rows, count, ofFetch }: BenchedList, asked: Page): Race => {
  const page = { ...asked, limit: ofFetch?.limit ?? asked.limit }
  return {
    kind: "race",
    name: `List of ${name}, offset ${page.offset}, fetch`,
    atLeast: 0.7,
    share,
    open: async (bench) => {
      const { databaseUrl, gatewarden } = await listsOf(bench)
      const besides = ofFetch === undefined ? count : ofFetch.besides(page)
      const bare = openBare(databaseUrl, rows(page), besides === undefined ? [] : [besides])
      const url = `http://bench${gatewarden.basePath}${path(page)}`
      const { data } = JSON.parse(new TextDecoder().decode(await bodyOf(gatewarden, url))) as {
        readonly data: readonly unknown[]
      }
      requireRows(data, page.limit, `${name}, fetch`)
      return {
        ours: counted(() => bodyOf(gatewarden, url)),
        bare: bare.contenders,
        gated: whole,
        close: bare.close
      }
    }
  }
}

export const lists: readonly Race[] = benchedLists.flatMap((list) =>
  offsets.flatMap((offset) => {
    const page = { limit: 50, offset }
    return [throughPort(list, page), throughFetch(list, page)]
  })
)
