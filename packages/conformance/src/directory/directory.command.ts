/** Users, groups and mappings of a directory in random sequences: few names, so that some are taken and some are those of other users. */
import { scimUrns } from "@gatewarden/contract/internal"
import * as fc from "fast-check"
import { type Command, command, dataOf } from "../modelBased/Command.ts"
import { phrase, some } from "../modelBased/Thing.ts"

const userName = fc.constantFrom("user-1", "user-2", "USER-2", "user-3", "é")
const displayName = fc.constantFrom("One", "two", "TWO", "é")
const users = some("directoryUser")
const groups = some("directoryGroup")
const member = fc.record({ value: users })
const members = fc.array(member, { maxLength: 3 })
const projection = {
  attributes: fc.constantFrom("userName", "displayName,members", "nothing"),
  excludedAttributes: fc.constantFrom("members", "groups,meta", "name.givenName")
}

const patch = (operation: fc.Arbitrary<unknown>) =>
  fc.record({ schemas: fc.constant([scimUrns.patch]), Operations: fc.array(operation, { minLength: 1, maxLength: 3 }) })

const userPatch = fc.oneof(
  fc.record({
    op: fc.constantFrom("replace", "Add"),
    path: fc.constant("active"),
    value: fc.constantFrom(true, false, "False")
  }),
  fc.record({ op: fc.constant("replace"), path: fc.constant("userName"), value: userName }),
  fc.record({
    op: fc.constantFrom("add", "remove"),
    path: fc.constant('emails[type eq "work"].value'),
    value: fc.constant("a@example.com")
  }),
  fc.record({
    op: fc.constant("replace"),
    value: fc.record({ externalId: fc.constantFrom("1", "2"), active: fc.boolean() })
  }),
  fc.record({ op: fc.constantFrom("remove", "move"), path: fc.constantFrom("title", "id", "nothing") })
)

const groupPatch = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      op: fc.constantFrom("add", "remove", "replace"),
      path: fc.constant("members"),
      value: members
    })
  },
  fc.record({ op: fc.constant("remove"), path: phrase(fc.constant('members[value eq "'), users, fc.constant('"]')) }),
  fc.record({ op: fc.constant("replace"), value: fc.record({ displayName }) }),
  fc.record({
    op: fc.constantFrom("remove", "add"),
    path: fc.constantFrom("displayName", "externalId", "members.value")
  })
)

const userBody = {
  userName,
  externalId: fc.constantFrom("1", "2"),
  active: fc.constantFrom(true, true, true, false, "False")
}
const groupBody = { displayName, externalId: fc.constantFrom("1", "2"), members }

const userFilters = fc.oneof(
  fc.constantFrom(
    'userName eq "user-2"',
    'externalId eq "1"',
    "active eq true",
    'emails co "a" and active eq true',
    "userName pr",
    "userName"
  ),
  phrase(fc.constant('id eq "'), users, fc.constant('"'))
)
const groupFilters = fc.oneof(
  fc.constantFrom('displayName eq "two"', 'externalId eq "1" or displayName sw "o"', "members pr"),
  phrase(fc.constant('members.value eq "'), users, fc.constant('"'))
)
const paging = { startIndex: fc.constantFrom("1", "2", "0"), count: fc.constantFrom("1", "0", "100") }

export const directoryCommands: readonly Command[] = [
  command("createDirectoryUser", {
    weight: 4,
    query: {},
    body: userBody,
    keeps: { directoryUser: (json) => ({ id: json.id }) }
  }),
  command("getDirectoryUser", {
    params: { id: users },
    query: projection,
    reads: { kind: "directoryUser", params: { id: "id" } }
  }),
  command("listDirectoryUsers", { query: { ...projection, ...paging, filter: userFilters } }),
  command("putDirectoryUser", { params: { id: users }, query: projection, body: userBody }),
  command("patchDirectoryUser", { weight: 4, params: { id: users }, query: projection, body: patch(userPatch) }),
  command("deleteDirectoryUser", { weight: 1, params: { id: users } }),
  command("createDirectoryGroup", {
    weight: 4,
    query: {},
    body: groupBody,
    keeps: { directoryGroup: (json) => ({ id: json.id }) }
  }),
  command("getDirectoryGroup", {
    params: { id: groups },
    query: projection,
    reads: { kind: "directoryGroup", params: { id: "id" } }
  }),
  command("listDirectoryGroups", { query: { ...projection, ...paging, filter: groupFilters } }),
  command("putDirectoryGroup", { params: { id: groups }, query: projection, body: groupBody }),
  command("patchDirectoryGroup", { weight: 4, params: { id: groups }, body: patch(groupPatch) }),
  command("deleteDirectoryGroup", { weight: 1, params: { id: groups } }),
  command("createGroupMapping", {
    weight: 4,
    body: { scim_group_id: groups, workspace_id: some("workspace"), role: fc.constantFrom("admin", "member") },
    keeps: { mapping: dataOf }
  }),
  command("getGroupMapping", { params: { id: some("mapping") }, reads: { kind: "mapping", params: { id: "id" } } }),
  command("listGroupMappings"),
  command("updateGroupMapping", { params: { id: some("mapping") } }),
  command("deleteGroupMapping", {
    params: { id: some("mapping") },
    query: { keep_members: fc.constantFrom("true", "false") }
  }),
  command("listMappableGroups"),
  command("createSyncJob", { keeps: { syncJob: dataOf } }),
  command("getSyncJob", { params: { id: some("syncJob") }, reads: { kind: "syncJob", params: { id: "id" } } }),
  command("getScimServiceProviderConfig", { weight: 1 }),
  command("listScimResourceTypes", { weight: 1 }),
  command("getScimResourceType", { weight: 1, params: { id: fc.constantFrom("User", "Group", "Device") } }),
  command("listScimSchemas", { weight: 1 }),
  command("getScimSchema", { weight: 1, params: { id: fc.constantFrom(scimUrns.user, "x") } })
]
