/** The audit log: each change of configuration, its actor, and the entity before and after (Rule: audit#audit-log, audit#actors). */
import * as z from "zod"
import { actions, nouns, operation } from "./operation.ts"
import { entriesOf, pageLimit, queryInstant, queryInteger, text, timestamp, uuid } from "./primitives.ts"

export const AuditActor = z
  .object({
    type: z
      .enum(["key", "user", "app", "host", "operator", "server", "database"])
      .describe(
        "`key`: an API key. `user`: a user whom the host authenticated. `app`: an app that exchanged an authorization code. `host`: the host's own call of the library. `operator`: the command line. `server`: Gatewarden itself, when it starts or does background work. `database`: a statement that did not come through Gatewarden."
      ),
    id: z.string().nullable().describe("Hash of the key, or id of the user. `null`: other actors have no id."),
    name: z.string().nullable().describe("Present name of the key. `null`: it was deleted, or the actor is no key.")
  })
  .meta({ id: "AuditActor", description: "Who or what made a change." })

const facts = z.record(z.string(), z.json()).nullable()

export const AuditEntry = z
  .object({
    position: z.int().describe("Number of the change in the account's chain, from 1 without gaps."),
    at: timestamp.describe("Time of the change, in UTC."),
    noun: z.enum(nouns).describe("Kind of the changed entity."),
    action: z.enum(actions).describe("Kind of the change."),
    entity: z
      .string()
      .describe("Id of the changed entity: the hash of a key, the slug of a preset, the user of a member."),
    entity_name: z
      .string()
      .nullable()
      .describe(
        "Name of the entity: that in `after`, otherwise in `before`, otherwise the present one of a key, guardrail, workspace or destination. `null`: none of these."
      ),
    workspace_id: uuid
      .nullable()
      .describe("Id of the workspace of the entity. `null`: the entity belongs to the whole account."),
    actor: AuditActor,
    operation: z
      .string()
      .nullable()
      .describe("`operationId` of the request, or the name of a command. `null`: neither made the change."),
    request_id: z.string().nullable().describe("Id of the request that made the change. `null`: no request did."),
    before: facts.describe("Fields of the entity before the change, without secrets. `null`: it was created."),
    after: facts.describe("Fields of the entity after the change, without secrets. `null`: it was deleted."),
    hash: z
      .string()
      .describe("SHA-256 of the previous entry's hash together with this entry, without names that are looked up.")
  })
  .meta({ id: "AuditEntry", description: "One change of configuration." })
export type PrintedAuditEntry = z.output<typeof AuditEntry>

const word = text(1, 256).optional()

export const getAuditLog = operation({
  id: "getAuditLog",
  method: "GET",
  path: "/gateway/audit-log",
  tag: "Gateway",
  changes: "nothing",
  summary: "List what was changed, and by whom",
  description:
    "Latest first. A page ends at `limit` entries, or before that at 4 MiB of `before` and `after`, but never before its first entry. A page also ends when 5,000 changes were examined: it may then hold few entries or none, and `next_cursor` goes on. All were examined when `next_cursor` is `null`. The store records each change in the transaction that makes it, and seals it in a chain of hashes within a second; `gatewarden audit verify` finds what was altered after that. The operator's log holds the changes of the installation's catalog, too.",
  access: "managementKey",
  query: z.object({
    limit: queryInteger({ min: 1, max: 100, default: 50 }).describe(pageLimit),
    cursor: z
      .string()
      .regex(/^[1-9]\d{0,15}$/, "Expected `next_cursor` of an answer")
      .optional()
      .describe("Place to continue at: `next_cursor` of the previous page."),
    actor: word.describe("Id of an actor, or a type of actors."),
    noun: z.enum(nouns).optional().describe("Only changes of entities of this kind."),
    entity: word.describe("Only changes of this entity."),
    operation: word.describe("Only changes that this operation made."),
    from: queryInstant.optional().describe("Only changes at this time or later."),
    to: queryInstant.optional().describe("Only changes before this time.")
  }),
  success: {
    schema: z.object({
      data: entriesOf(AuditEntry),
      next_cursor: z
        .string()
        .nullable()
        .describe("Value of `cursor` for the next page. `null`: all changes were examined.")
    }),
    long: true
  },
  errors: [400, 401, 403, 500],
  example: {
    query: { noun: "guardrail", limit: "1" },
    response: {
      data: [
        {
          position: 3,
          at: "2026-01-05T09:30:00.000Z",
          noun: "guardrail",
          action: "create",
          entity: "7f2a9c1e-53f8-4bd8-9a55-1c0d6e8f4b21",
          entity_name: "Production",
          workspace_id: "0b6f4e9a-3f0e-4a5b-9d3c-6c1f2f0a7e11",
          actor: {
            type: "key",
            id: "894143ae2e17fbfeed0d6b4ef7e882b16ae65c259617ef1f829ccb8195cf721a",
            name: "Infrastructure"
          },
          operation: "createGuardrail",
          request_id: "838527f8-b40b-4fa9-81fd-9bf08e0c8a64",
          before: null,
          after: {
            id: "7f2a9c1e-53f8-4bd8-9a55-1c0d6e8f4b21",
            name: "Production",
            limit_usd: 50,
            reset_interval: "daily"
          },
          hash: "5ad48d81b5bd1052c3d5c56c69669a837a4661bf2cca19b507826c3868467d9d"
        }
      ],
      next_cursor: "3"
    }
  }
})
