/** Users, groups and mappings of a directory, as cases need them. */
import { scimUrns } from "@gatewarden/contract/internal"
import { assert } from "@effect/vitest"
import type { Answer, World } from "../World.ts"

let made = 0

const sure = (answer: Answer): Answer => {
  assert.isBelow(answer.status, 300, answer.text)
  return answer
}

export const patchOf = (...Operations: readonly object[]) => ({ schemas: [scimUrns.patch], Operations })

/** A user with this name, or with a new one; the resource. */
export const newUser = async (world: World, fields: object = {}): Promise<Answer["json"]> =>
  sure(await world.call("createDirectoryUser", { body: { userName: `user ${++made} é`, ...fields } })).json

/** A group with these members; the resource. */
export const newGroup = async (
  world: World,
  members: readonly { readonly id: string }[] = [],
  fields: object = {}
): Promise<Answer["json"]> =>
  sure(
    await world.call("createDirectoryGroup", {
      body: { displayName: `group ${++made} é`, members: members.map(({ id }) => ({ value: id })), ...fields }
    })
  ).json

export const patchUser = async (world: World, id: string, ...Operations: readonly object[]): Promise<Answer> =>
  world.call("patchDirectoryUser", { params: { id }, body: patchOf(...Operations) })

export const patchGroup = async (world: World, id: string, ...Operations: readonly object[]): Promise<Answer> =>
  world.call("patchDirectoryGroup", { params: { id }, body: patchOf(...Operations) })

/** The ids of the users in a group. */
export const membersOf = async (world: World, id: string): Promise<readonly string[]> =>
  (sure(await world.call("getDirectoryGroup", { params: { id } })).json.members ?? []).map(
    ({ value }: { value: string }) => value
  )

/** The mapping of a group to a workspace, the default one if none is given. */
export const map = async (
  world: World,
  group: { readonly id: string },
  role: "admin" | "member" = "member",
  workspace_id: string = world.workspace_id
): Promise<Answer["json"]> =>
  sure(await world.call("createGroupMapping", { body: { scim_group_id: group.id, workspace_id, role } })).json.data

/** Users and roles of a workspace, by user. */
export const rolesIn = async (world: World, workspace = "default"): Promise<Readonly<Record<string, string>>> =>
  Object.fromEntries(
    sure(await world.call("listWorkspaceMembers", { params: { id: workspace }, query: { limit: "100" } }))
      .json.data.map(({ user_id, role }: { user_id: string; role: string }) => [user_id, role])
      .toSorted(([a]: readonly string[], [b]: readonly string[]) => ((a ?? "") < (b ?? "") ? -1 : 1))
  )

/** Makes users members of a workspace, or ends it, as whoever manages the account does. */
export const addByHand = (world: World, workspace: string, ...user_ids: readonly string[]): Promise<Answer> =>
  world.call("addWorkspaceMembers", { params: { id: workspace }, body: { user_ids } })
export const removeByHand = (world: World, workspace: string, ...user_ids: readonly string[]): Promise<Answer> =>
  world.call("removeWorkspaceMembers", { params: { id: workspace }, body: { user_ids } })

/** A key of a user, and whether it is accepted now. */
export const keyOf = async (world: World, user_id: string, workspace_id: string = world.workspace_id) => {
  const { key, data } = sure(
    await world.call("createKey", { body: { name: "theirs", creator_user_id: user_id, workspace_id } })
  ).json
  return {
    hash: data.hash as string,
    status: async () => (await world.send("GET", "/key", { key })).status
  }
}

export const nobody = "00000000-0000-4000-8000-000000000000"
