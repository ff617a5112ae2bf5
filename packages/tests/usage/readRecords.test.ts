import { SentUsageEvent } from "@gatewarden/contract"
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { batchRecords, FileChanged, type Position } from "../../node/src/usage/batchRecords.ts"
import { eventOfCells, readHeader } from "../../node/src/usage/csvFields.ts"
import { readCsv } from "../../node/src/usage/readCsv.ts"
import { readEvent } from "../../node/src/usage/readEvent.ts"
import { readNdjson } from "../../node/src/usage/readNdjson.ts"
import type { SourceRecord } from "../../node/src/usage/SourceRecord.ts"
import { maxLineBytes, splitLines } from "../../node/src/usage/splitLines.ts"

const collect = async <A>(parts: AsyncIterable<readonly A[]>): Promise<readonly A[]> => {
  const all: A[] = []
  for await (const part of parts) all.push(...part)
  return all
}

/** The bytes in pieces of a size, since where a chunk ends must not matter. */
async function* pieces(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

const ndjson = (text: string | Buffer, size = 7) => readNdjson(splitLines(pieces(Buffer.from(text), size)))
const csv = (text: string | Buffer, size = 7, warnings: string[] = [], isSafe = false) =>
  readCsv(splitLines(pieces(Buffer.from(text), size)), isSafe, (line) => void warnings.push(line))

/** Line and value, or line and reason. */
const read = (records: readonly SourceRecord[]) =>
  records.map((record) => {
    const value = record.read()
    return [record.line, value.ok ? value.value : value.reason]
  })

const header = "id,created_at,model,provider,prompt_tokens,completion_tokens,cost_usd,app"
const row = (id: string, app: string) => `${id},2026-03-01T12:00:00Z,acme/a,acme,1,2,0.5,${app}`
const event = (id: string, app?: string) => ({
  id,
  created_at: "2026-03-01T12:00:00Z",
  model: "acme/a",
  provider: "acme",
  prompt_tokens: 1,
  completion_tokens: 2,
  cost_usd: "0.5",
  ...(app !== undefined && { app })
})

describe("lines of NDJSON", () => {
  it("are values, wherever the bytes are cut, and blank ones are nothing", async () => {
    const text = '\ufeff{"a":"ü"}\r\n\n  \n[1]\n{"a":1,"a":2}\n{"a"'
    for (const size of [1, 2, 3, 1000])
      assert.deepStrictEqual(read(await collect(ndjson(text, size))), [
        [1, { a: "ü" }],
        [4, [1]],
        [5, "a: Duplicate object key at position 7"],
        [6, "a: Not valid JSON: unexpected end at position 4"]
      ])
  })

  it("are not held when they are too long, and those after them are read", async () => {
    const long = Buffer.concat([Buffer.alloc(maxLineBytes + 1, 0x61), Buffer.from('\n{"a":1}\n')])
    const records = await collect(ndjson(long, 65_536))
    assert.deepStrictEqual(read(records), [
      [1, `The line is longer than ${maxLineBytes} bytes`],
      [2, { a: 1 }]
    ])
    assert.isAtMost(records[0]?.bytes.length ?? 0, maxLineBytes)
  })

  it("that are not UTF-8 are refused", async () => {
    const bytes = Buffer.concat([Buffer.from('{"a":"'), Buffer.of(0xff), Buffer.from('"}')])
    assert.deepStrictEqual(read(await collect(ndjson(bytes))), [[1, "Not valid UTF-8 near byte 6"]])
  })
})

describe("records of CSV", () => {
  it("are events, with quotes, commas and line breaks in cells", async () => {
    const text = `\ufeff${header}\r\n${row("a", "plain")}\r\n\r\n${row("b", '"say ""hi"", ü"')}\r\n${row("c", '"two\r\nlines"')}\r\n${row("d", "")}`
    for (const size of [1, 5, 1000])
      assert.deepStrictEqual(read(await collect(csv(text, size))), [
        [2, event("a", "plain")],
        [4, event("b", 'say "hi", ü')],
        [5, event("c", "two\r\nlines")],
        [7, event("d")]
      ])
  })

  it("that are spoilt spoil no other", async () => {
    const text = [
      header,
      row("a", "x"),
      row("b", '"never closed'),
      row("c", "x"),
      row("d", '"fine"'),
      row("e", 'stray"quote'),
      row("f", "x"),
      `${row("g", "x")},one too many`,
      row("h", '"closed"badly'),
      row("i", "x")
    ].join("\n")
    for (const size of [1, 1000]) {
      const records = read(await collect(csv(text, size)))
      assert.deepStrictEqual(
        records.map(([line]) => line),
        [2, 3, 4, 5, 6, 7, 8, 9, 10]
      )
      assert.deepStrictEqual(
        records.flatMap(([line, value]) => (typeof value === "string" ? [line] : [])),
        [3, 6, 8, 9]
      )
    }
  })

  it("that are not UTF-8 are refused", async () => {
    const bytes = Buffer.concat([Buffer.from(`${header}\n`), Buffer.of(0xc3), Buffer.from(`${row("a", "x")}\n`)])
    assert.deepStrictEqual(read(await collect(csv(bytes))), [[2, "The record is not valid UTF-8"]])
  })

  it("survive any text in a cell", () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(fc.string({ unit: fc.constantFrom("a", '"', ",", "\n", "\r", " ", "ü", "\\", "'") }), {
          minLength: 1
        }),
        fc.integer({ min: 1, max: 40 }),
        async (apps, size) => {
          const quoted = apps.map((app, index) => row(`e${index}`, `"${app.replaceAll('"', '""')}"`))
          const records = await collect(csv([header, ...quoted].join("\n"), size))
          assert.deepStrictEqual(
            records.map((record) => record.read()),
            apps.map((app, index) => ({ ok: true as const, value: event(`e${index}`, app === "" ? undefined : app) }))
          )
        }
      )
    ))

  it("have texts without the ' that a spreadsheet needs, where they were written so", async () => {
    const text = `${header}\n${row("a", "'=1")}\n${row("b", "''=1")}\n${row("c", "'a")}`
    const apps = async (isSafe: boolean) =>
      (await collect(csv(text, 7, [], isSafe))).map((record) => {
        const read = record.read()
        return read.ok ? (read.value as { app?: string }).app : read.reason
      })
    assert.deepEqual(await apps(true), ["=1", "'=1", "'a"])
    assert.deepEqual(await apps(false), ["'=1", "''=1", "'a"])
  })

  it("need a header that names what every event has", async () => {
    for (const [text, problem] of [
      ["id,model\n", "The header does not name created_at, provider, prompt_tokens, completion_tokens, cost_usd"],
      [`${header},app\n`, 'The header names "app" twice']
    ] as const) {
      const failure: unknown = await collect(csv(text)).catch((cause: unknown) => cause)
      assert.deepInclude(failure, { lines: [problem], exitCode: 1 })
    }
    const warnings: string[] = []
    await collect(csv(`${header},latency_m,comment\n`, 7, warnings))
    assert.deepStrictEqual(warnings, [
      'The column "latency_m" is ignored; is it latency_ms?',
      'The column "comment" is ignored'
    ])
  })

  it("have cells of every kind, and the contract judges what is none", () => {
    const cells: Readonly<Record<string, string>> = {
      ...Object.fromEntries(Object.entries(event("a")).map(([name, value]) => [name, String(value)])),
      byok: "t",
      guardrail_invoked: "0",
      latency_ms: "1.5e2",
      "cost_components.usage_cache": "0.25",
      cost_components: '{"usage_web":"0.5"}',
      classifiers: '{"topic":{"area":"x"}}',
      input_modalities: '["text"]',
      completion_tokens: "two"
    }
    const read = readHeader(Object.keys(cells))
    assert.notProperty(read, "problem")
    if ("problem" in read) return
    const made = eventOfCells(read, Object.values(cells))
    assert.deepInclude(made, {
      byok: true,
      guardrail_invoked: false,
      latency_ms: 150,
      cost_components: { usage_web: "0.5", usage_cache: "0.25" },
      classifiers: { topic: { area: "x" } },
      input_modalities: ["text"],
      completion_tokens: "two"
    })
    const judged = SentUsageEvent.safeParse(made)
    assert.deepStrictEqual(
      judged.error?.issues.map(({ path }) => path.join(".")),
      ["completion_tokens"]
    )
  })

  it.each([
    ["0.1", 0.1],
    ["0012.500", 12.5],
    ["-0.0", -0],
    ["1e21", 1e21],
    ["1.50E-7", 1.5e-7],
    ["9007199254740991.0", 9007199254740991],
    ["0.30000000000000004", 0.1 + 0.2],
    [`1${"0".repeat(300)}`, 1e300],
    ["9007199254740993", undefined],
    ["9007199254740990.9999999", undefined],
    ["1.00000000000000000001", undefined],
    ["123456789.123456789", undefined],
    ["1e999", undefined],
    ["1e-999", undefined]
  ])("read the number %s, or leave it as a text where digits would be lost", (cell, number) => {
    const header = readHeader([...Object.keys(event("a")), "latency_ms"])
    if ("problem" in header) return assert.fail(header.problem)
    const { latency_ms } = eventOfCells(header, [...Object.values(event("a")).map(String), cell])
    assert.strictEqual(latency_ms, number ?? cell)
  })

  it("say what an amount is like where there is none", () => {
    const made = { ...event("a"), cost_usd: undefined, byok_cost_usd: true }
    assert.deepStrictEqual(
      SentUsageEvent.safeParse(made).error?.issues.map(({ path, message }) => `${path.join(".")}: ${message}`),
      ["cost_usd: Expected an amount such as 0.000125", "byok_cost_usd: Expected an amount such as 0.000125"]
    )
  })
})

describe("an event without an id", () => {
  const idOf = async (text: string, source: string, at = 0) => {
    const record = (await collect(ndjson(text)))[at]
    const made = record && readEvent(record, source)
    return made !== undefined && "event" in made ? String(made.event["id"]) : undefined
  }
  const { id: _, ...anonymous } = event("a")
  const line = JSON.stringify(anonymous)

  it("gets the same one from the same line of the same file, and from no other", async () => {
    const ids = [
      await idOf(`${line}\n`, "a.ndjson"),
      await idOf(`${line}\r\n${line}\n`, "a.ndjson"),
      await idOf(`${line}\n${line}\n`, "a.ndjson", 1),
      await idOf(`${line}\n`, "b.ndjson"),
      await idOf(`${JSON.stringify({ ...anonymous, prompt_tokens: 3 })}\n`, "a.ndjson")
    ]
    assert.match(ids[0] ?? "", /^line-[0-9a-f]{64}$/)
    assert.strictEqual(ids[1], ids[0])
    assert.strictEqual(new Set(ids).size, 4)
    assert.match((await idOf(JSON.stringify({ ...anonymous, id: null }), "a.ndjson")) ?? "", /^line-/)
    assert.strictEqual(await idOf(JSON.stringify(event("own")), "a.ndjson"), "own")
  })
})

describe("batches", () => {
  const text = Array.from({ length: 4_500 }, (_, index) =>
    index % 1_000 === 999 ? "{" : JSON.stringify(event(`e${index}`))
  ).join("\n")
  const batches = async (content: string, from?: Position) => {
    const all = []
    for await (const batch of batchRecords(ndjson(content, 65_536), "file", from)) all.push(batch)
    return all
  }

  it("hold every record once, and go on after any of them", async () => {
    const whole = await batches(text)
    assert.deepStrictEqual(
      whole.map(({ end }) => end.records),
      [2_000, 4_000, 4_500]
    )
    assert.deepStrictEqual(
      whole.flatMap(({ rejects }) => rejects.map(({ line }) => line)),
      [1_000, 2_000, 3_000, 4_000]
    )
    for (const [index, { end }] of whole.entries()) {
      const rest = await batches(text, end)
      const ids = (of: typeof whole) => of.flatMap(({ events }) => events.map((event) => event["id"]))
      assert.deepStrictEqual(ids(rest), ids(whole.slice(index + 1)))
      assert.deepStrictEqual(rest.at(-1)?.end ?? end, whole.at(-1)?.end)
    }
    // A file that grew goes on where it ended.
    const grown = await batches(`${text}\n${JSON.stringify(event("new"))}`, whole.at(-1)?.end)
    assert.deepStrictEqual(
      grown.flatMap(({ events }) => events.map((event) => event["id"])),
      ["new"]
    )
  })

  it("do not go on in another file", async () => {
    const end = (await batches(text))[0]?.end
    for (const other of [text.replace("e5", "x5"), text.slice(0, 1_000)]) {
      const failure: unknown = await batches(other, end).catch((cause: unknown) => cause)
      assert.instanceOf(failure, FileChanged)
    }
  })
})
