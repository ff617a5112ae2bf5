/**
 * Contents of files that nobody sees any more go in the background: no request waits for those of others.
 *
 * Rule: files#deleting-a-file, workspaces#deleting-a-workspace.
 */
import { fetchDoor, Installation } from "@gatewarden/conformance"
import type { World } from "@gatewarden/conformance/internal/World"
import { formOf } from "@gatewarden/conformance/internal/file/fileBytes"
import { runBackgroundOnce, sweepStaleFiles } from "@gatewarden/core/internal"
import { FileContents, FileStorageUnavailable } from "@gatewarden/core/store"
import { everyStore } from "@gatewarden/testkit/stores/stores"
import { afterAll, afterEach, assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect, Exit, Layer, Option, Stream } from "effect"

for (const [kind, store] of everyStore)
  describe(`contents of deleted workspaces: ${kind}`, () => {
    const kept = new Set<string>()
    const refused = new Set<string>()
    const contents = FileContents.of({
      put: (id, content) =>
        Effect.andThen(
          Stream.runDrain(content),
          Effect.sync(() => void kept.add(id))
        ),
      get: () => Effect.succeed(Option.none()),
      remove: (id) =>
        Effect.suspend(() => {
          if (refused.has(id)) return Effect.die(new FileStorageUnavailable({}))
          kept.delete(id)
          return Effect.void
        })
    })
    let installation: Installation
    beforeAll(async () => {
      installation = await Installation.start({
        store: Layer.merge(store, Layer.succeed(FileContents, contents)),
        door: fetchDoor
      })
    })
    afterAll(() => installation?.stop())
    afterEach(() => {
      kept.clear()
      refused.clear()
    })

    const upload = async (world: World, workspace_id: string): Promise<string> => {
      installation.clock.now++
      const call = { body: formOf("a.txt", "x"), key: world.managementKey, query: { workspace_id } }
      const answer = await world.call("uploadFile", call)
      assert.strictEqual(answer.status, 200, answer.text)
      return answer.json.id
    }
    const newWorkspace = async (world: World): Promise<string> =>
      (await world.call("createWorkspace", { body: { name: "Second", slug: "second" } })).json.data.id
    const deleteWorkspace = async (world: World, id: string) =>
      assert.strictEqual((await world.call("deleteWorkspace", { params: { id } })).status, 200)
    /** Files of a workspace that is deleted, the oldest first. */
    const leave = async (world: World, count: number): Promise<readonly string[]> => {
      const workspace_id = await newWorkspace(world)
      const ids: string[] = []
      while (ids.length < count) ids.push(await upload(world, workspace_id))
      await deleteWorkspace(world, workspace_id)
      return ids
    }

    it("stay while requests of others are answered, and go in the background", async () => {
      const left = await leave(await installation.newWorld(), 20)
      const other = await installation.newWorld()
      const id = await upload(other, other.workspace_id)
      assert.strictEqual((await other.call("deleteFile", { params: { file_id: id } })).status, 200)
      await deleteWorkspace(other, await newWorkspace(other))
      assert.sameMembers([...kept], [...left])
      const reports = await installation.run(runBackgroundOnce())
      assert.deepInclude(reports, { job: "files", outcome: "done", handled: 20 })
      assert.strictEqual(kept.size, 0)
    })

    it("go although the storage refuses to remove more of them than a batch has", async () => {
      const left = await leave(await installation.newWorld(), 40)
      for (const id of left.slice(0, 20)) refused.add(id)
      const sweep = () => {
        installation.clock.now++
        return installation.run(Effect.exit(sweepStaleFiles))
      }
      for (let run = 0; run < 5; run++) await sweep()
      assert.sameMembers([...kept], [...refused])
      // Nothing but refusals is a failure, which the job reports and repeats.
      assert.isTrue(Exit.isFailure(await sweep()))
      refused.clear()
      for (let run = 0; run < 2; run++) await sweep()
      assert.deepStrictEqual(await sweep(), Exit.succeed(0))
      assert.strictEqual(kept.size, 0)
    })
  })
