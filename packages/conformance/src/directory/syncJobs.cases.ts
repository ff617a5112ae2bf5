/** The cases of the operations on sync jobs. Rule: scim#sync-jobs. */
import { type SyncedGroups } from "@gatewarden/core/internal"
import { SyncJobs } from "@gatewarden/core/store"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import {
  malformedIdempotencyKey,
  type CasesOf,
  managementOnly,
  outcomeUnknown,
  reasonIs,
  storeGone
} from "../http/Case.ts"
import { nowIn } from "../key/keyStates.ts"
import type { World } from "../World.ts"
import { addByHand, map, newGroup, newUser, nobody, rolesIn } from "./directoryStates.ts"

const params = { id: nobody }

const stateOf = async (world: World, id: string) => (await world.call("getSyncJob", { params: { id } })).json.data

/** What the background does, for the account whose turn it is behind another. */
const advance = (world: World, after: string | null = null): Promise<SyncedGroups> =>
  world.installation.run(Effect.flatMap(SyncJobs, (jobs) => jobs.advance(nowIn(world), after)))

export const syncJobCases: readonly CasesOf[] = [
  {
    operation: "createSyncJob",
    cases: [
      malformedIdempotencyKey("createSyncJob"),
      {
        name: "queued, and the same again while it is not finished",
        status: 202,
        run: async (world) => {
          const first = await world.call("createSyncJob")
          world.installation.clock.now += 1000
          assert.deepEqual((await world.call("createSyncJob")).json, first.json)
          return first
        },
        check: ({ json }) =>
          assert.deepInclude(json.data, {
            status: "queued",
            synced_groups: null,
            started_at: null,
            error_message: null
          })
      },
      {
        name: "every group once, then it has succeeded, and another one may follow",
        status: 202,
        run: async (world) => {
          const ann = await newUser(world, { userName: "ann" })
          await map(world, await newGroup(world, [ann]), "admin")
          await newGroup(world)
          await addByHand(world, "default", "bob")
          const { id } = (await world.call("createSyncJob")).json.data
          // Other accounts of the installation may have jobs of their own.
          const states: string[] = []
          while (states.at(-1) !== "succeeded" && (await advance(world)).handled > 0) {
            const { status } = await stateOf(world, id)
            if (status !== states.at(-1)) states.push(status)
          }
          assert.includeMembers(states, ["running", "succeeded"])
          const at = nowIn(world)
          assert.deepInclude(await stateOf(world, id), {
            status: "succeeded",
            synced_groups: 2,
            deleted_groups: 0,
            started_at: at,
            finished_at: at
          })
          assert.deepEqual(await rolesIn(world), { ann: "admin", bob: "member" })
          const answer = await world.call("createSyncJob")
          assert.notStrictEqual(answer.json.data.id, id)
          assert.strictEqual((await world.call("getSyncJob", { params: { id } })).status, 404)
          return answer
        }
      },
      {
        name: "takes turns with the jobs of other accounts, a group at a time",
        status: 202,
        run: async (world) => {
          const other = await world.other()
          for (let groups = 0; groups < 3; groups++) await newGroup(world)
          for (let groups = 0; groups < 9; groups++) await newGroup(other)
          await other.call("createSyncJob")
          const answer = await world.call("createSyncJob")
          const turns: string[] = []
          while ((await stateOf(world, answer.json.data.id)).status !== "succeeded") {
            const { account_id } = await advance(world, turns.at(-1))
            turns.push(account_id ?? "")
          }
          const of = ({ account_id }: World) => turns.filter((account) => account === account_id).length
          assert.strictEqual(of(world), 4)
          assert.isAtMost(Math.abs(of(other) - of(world)), 1)
          return answer
        }
      },
      ...managementOnly("createSyncJob", () => ({})),
      storeGone("SyncJobs", 500, (world) => world.call("createSyncJob")),
      outcomeUnknown("SyncJobs", (world) => world.call("createSyncJob"))
    ]
  },
  {
    operation: "getSyncJob",
    cases: [
      {
        name: "as it was made",
        status: 200,
        run: async (world) => {
          const { data } = (await world.call("createSyncJob")).json
          const answer = await world.call("getSyncJob", { params: { id: data.id } })
          assert.deepEqual(answer.json.data, data)
          return answer
        }
      },
      {
        name: "one of another account",
        status: 404,
        run: async (world) => {
          const { id } = (await (await world.other()).call("createSyncJob")).json.data
          return world.call("getSyncJob", { params: { id } })
        },
        check: reasonIs("not_found")
      },
      { name: "no id", status: 404, run: (world) => world.call("getSyncJob", { params: { id: "me" } }) },
      ...managementOnly("getSyncJob", () => ({ params })),
      storeGone("SyncJobs", 500, (world) => world.call("getSyncJob", { params }))
    ]
  }
]
