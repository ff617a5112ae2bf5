import {
  createAccount,
  defaultSettings,
  layerMemory,
  parseKeyring,
  startInstance,
  UsageLog
} from "@gatewarden/core/internal"
import { assert, describe, it, vi } from "@effect/vitest"
import { Context, Effect } from "effect"
import { appendFile, type FileHandle, open, readFile, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import type { CallStore } from "../../node/src/control/withStore.ts"
import { CommandSql } from "../../node/src/store/StoreCommand.ts"
import { runStoreCommand } from "../../node/src/control/storeCommands.ts"
import { failed } from "../../node/src/failure/Failed.ts"
import { importFile, type ImportSource } from "../../node/src/usage/importFile.ts"
import { openFile } from "../../node/src/usage/openInput.ts"
import { temporaryDirectory } from "../cli/gatewarden.ts"

const line = (index: number) =>
  `${JSON.stringify({ id: `event-${index}`, created_at: "2026-03-01T12:00:00Z", model: "acme/a", provider: "acme", prompt_tokens: 1, completion_tokens: 1, cost_usd: 0 })}\n`

const lines = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, index) => ((from + index) % 1_000 === 999 ? "{\n" : line(from + index))).join(
    ""
  )

/** A store, a file of 5,000 records with five unfit ones, and an import of it that breaks off when it is told to. */
const prepare = Effect.gen(function* () {
  const directory = yield* temporaryDirectory
  const parsed = parseKeyring(`k1:${Buffer.alloc(32, 7).toString("base64")}`)
  if (!("keyring" in parsed)) return yield* Effect.die(new Error(parsed.problem))
  const instance = yield* startInstance({
    store: layerMemory,
    keyring: parsed.keyring,
    managementKey: undefined,
    settings: defaultSettings
  })
  const services = Context.add(instance.services, CommandSql, { sql: undefined, filesBeside: false })
  const account = (name: string) =>
    Effect.map(Effect.provideContext(createAccount(name), services), (made) => ({
      account_id: made?.account.id ?? "",
      workspace_id: made?.workspace.id ?? ""
    }))
  const target = yield* account("acme")
  const path = join(directory, "usage.ndjson")
  yield* Effect.promise(() => writeFile(path, lines(0, 5_000)))
  const source: ImportSource = {
    path,
    source: "usage.ndjson",
    format: "ndjson",
    isCsvSafe: true,
    rejectsPath: `${path}.rejects.ndjson`,
    open: () => openFile(path),
    isResumable: true
  }
  const warnings: string[] = []
  const run = (
    to: typeof target & { readonly ignore_workspaces?: boolean } = target,
    breakAfter = Infinity,
    from = source
  ) => {
    let calls = 0
    const call: CallStore = (name, input) =>
      ++calls > breakAfter
        ? Effect.fail(failed("unavailable", "gone"))
        : Effect.map(Effect.provideContext(runStoreCommand(name, input), services), (value) => value as never)
    return importFile(from, to, call, { progress: () => {}, warn: (text) => void warnings.push(text) })
  }
  const recorded = (to: typeof target, ids: readonly string[]) =>
    Effect.provideContext(
      Effect.flatMap(UsageLog, (log) => log.recordedOf(to.account_id, ids)),
      services
    )
  const rejected = Effect.promise(async () =>
    (await readFile(source.rejectsPath, "utf8"))
      .trim()
      .split("\n")
      .map((text) => (JSON.parse(text) as { readonly line: number }).line)
  )
  return { source, path, target, account, run, recorded, rejected, warnings }
})

const unfit = [1_000, 2_000, 3_000, 4_000, 5_000]

describe("an import of a file", () => {
  it.live("that broke off goes on after what was confirmed", () =>
    Effect.gen(function* () {
      const { run, rejected, recorded, target, path, warnings } = yield* prepare
      assert.strictEqual((yield* Effect.flip(run(target, 1))).message, "gone")
      assert.deepStrictEqual(yield* rejected, unfit.slice(0, 2))
      const resumed = yield* run()
      assert.deepInclude(resumed, { records: 5_000, accepted: 4_995, duplicates: 0, rejected: 5, resumed_at: 2_000 })
      assert.deepStrictEqual(yield* rejected, unfit)
      assert.lengthOf(yield* recorded(target, ["event-0", "event-1998", "event-2000", "event-4998"]), 4)
      // Once more, after lines were added: only they are new.
      yield* Effect.promise(() => appendFile(path, line(5_000)))
      assert.deepInclude(yield* run(), { records: 5_001, accepted: 4_996, duplicates: 0, resumed_at: 5_000 })
      assert.deepStrictEqual(warnings, [])
    })
  )

  it.live("keeps every reject where the disk takes a part at a time", () =>
    Effect.gen(function* () {
      const { run, rejected, path } = yield* prepare
      const file = yield* Effect.promise(() => open(path))
      const handles = Object.getPrototypeOf(file) as FileHandle
      yield* Effect.promise(() => file.close())
      const write = handles.write
      const partly = vi
        .spyOn(handles, "write")
        // As write(2) does where there is room for no more.
        .mockImplementation(function (this: FileHandle, bytes: Uint8Array, from: number, length: number, at: number) {
          return Reflect.apply(write, this, [bytes, from, Math.min(length, 50), at])
        } as typeof write)
      yield* Effect.addFinalizer(() => Effect.sync(() => partly.mockRestore()))
      yield* run()
      assert.deepStrictEqual(yield* rejected, unfit)
    })
  )

  it.live("begins anew when the file has changed, and counts nothing twice", () =>
    Effect.gen(function* () {
      const { run, rejected, target, path, warnings } = yield* prepare
      yield* Effect.flip(run(target, 1))
      yield* Effect.promise(() => writeFile(path, line(9_999) + lines(0, 5_000)))
      const anew = yield* run()
      assert.deepInclude(anew, { records: 5_001, accepted: 2_998, duplicates: 1_998, rejected: 5, resumed_at: 0 })
      assert.deepStrictEqual(
        yield* rejected,
        unfit.map((number) => number + 1)
      )
      assert.lengthOf(warnings, 1)
      assert.include(warnings[0], "has changed")
    })
  )

  it.live("begins anew elsewhere, under another name, and when its rejects are gone", () =>
    Effect.gen(function* () {
      const { run, account, source, target } = yield* prepare
      yield* Effect.flip(run(target, 1))
      const other = yield* account("other")
      assert.deepInclude(yield* run(other), { accepted: 4_995, duplicates: 0, resumed_at: 0 })
      yield* Effect.flip(run(target, 1))
      assert.deepInclude(yield* run(target, Infinity, { ...source, source: "b" }), { accepted: 2_997, resumed_at: 0 })
      yield* Effect.promise(() => rm(source.rejectsPath))
      assert.deepInclude(yield* run(), { duplicates: 4_995, rejected: 5, resumed_at: 0 })
      // What was rejected for its workspace may be accepted now.
      yield* Effect.promise(() => rm(source.rejectsPath))
      yield* Effect.flip(run(target, 1))
      assert.deepInclude(yield* run({ ...target, ignore_workspaces: true }), { records: 5_000, resumed_at: 0 })
    })
  )

  it.live("takes what was recorded before for a duplicate, whatever it says now", () =>
    Effect.gen(function* () {
      const { run, path } = yield* prepare
      yield* run()
      const fields = JSON.parse(line(7)) as Record<string, unknown>
      const nowhere = { ...fields, workspace_id: "11111111-1111-4111-8111-111111111111" }
      yield* Effect.promise(() =>
        writeFile(path, [nowhere, { ...nowhere, id: "new" }].map((sent) => `${JSON.stringify(sent)}\n`).join(""))
      )
      assert.deepInclude(yield* run(), { records: 2, accepted: 0, duplicates: 1, rejected: 1 })
    })
  )
})
