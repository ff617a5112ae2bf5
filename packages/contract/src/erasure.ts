/**
 * Erasures: jobs that replace the name of a person by a pseudonym wherever it is stored, and remove what is about the person.
 *
 * Rule: access#erasures.
 */
import * as z from "zod"
import { namedExternalUser } from "./externalUser.ts"
import { json, operation } from "./operation.ts"
import { dataOf, listOf, page, timestamp, userId, uuid } from "./primitives.ts"

/** Descriptions of fields that several schemas here have. */
const about = {
  id: "Id of the erasure job."
} as const

/** Erasures of an account that are not finished. */
export const maxErasures = 100

export const ErasureObstacle = z
  .object({
    kind: z
      .enum([
        "live_key",
        "membership",
        "directory_user",
        "authorization_code",
        "federation_policy",
        "open_hold",
        "import",
        "keyring"
      ])
      .describe(
        "Kind of the obstacle. `open_hold`: an admission in progress. `import`: an import of usage. `keyring`: the server lacks the key that the request was encrypted with."
      ),
    count: z.int().describe("Number of things of this kind that are in the way.")
  })
  .meta({ id: "ErasureObstacle", description: "Things that keep an erasure from being finished." })
export type ErasureObstacle = z.output<typeof ErasureObstacle>

export const Erasure = z
  .object({
    id: uuid.describe(about.id),
    kind: z.enum(["user", "external_user"]).describe("Kind of the erased name: a user or an external user."),
    status: z
      .enum(["queued", "running", "waiting", "succeeded"])
      .describe("State of the job. `waiting`: something is in the way, and the job tries again each minute."),
    pseudonym: z.string().describe("Pseudonym that replaces the name. Nobody can compute it from the name."),
    in_the_way: z.array(ErasureObstacle).describe("Obstacles of a job that waits. Otherwise empty."),
    erased: z.record(z.string(), z.int()).describe("Number of changed rows, by table."),
    created_at: timestamp.describe("Time of the request, in UTC."),
    started_at: timestamp.nullable().describe("Time when the job began. `null`: it is queued."),
    finished_at: timestamp.nullable().describe("Time when the job ended. `null`: it is not finished.")
  })
  .meta({ id: "Erasure", description: "A job that replaces the name of a person by a pseudonym." })
export type Erasure = z.output<typeof Erasure>

export const CreateErasure = z
  .object({
    user_id: userId.optional().describe("Id of the user to erase, exactly as stored."),
    external_user: namedExternalUser.optional().describe("Name of the external user to erase, exactly as stored.")
  })
  .refine(({ user_id, external_user }) => (user_id === undefined) !== (external_user === undefined), {
    message: "Expected exactly one of user_id and external_user"
  })
  .describe("Your name for the external user, exactly as stored. Send either this or `user_id`.")
  .meta({ id: "CreateErasure" })
export type CreateErasure = z.output<typeof CreateErasure>

const params = { id: "6c1de4b2-93a7-4f0e-8d55-0b7a9c2e4f18" }

const queued: Erasure = {
  id: params.id,
  kind: "user",
  status: "queued",
  pseudonym: "erased-5d0f8a1be3c94772a6b1f0e2d4c3b2a1",
  in_the_way: [],
  erased: {},
  created_at: "2026-01-05T09:30:00.000Z",
  started_at: null,
  finished_at: null
}

const shared = { tag: "Organization", access: "managementKey", unrestrictedOnly: true } as const

export const createErasure = operation({
  id: "createErasure",
  ...shared,
  method: "POST",
  path: "/gateway/erasures",
  changes: { noun: "erasure", action: "create" },
  summary: "Erase a person",
  description:
    "Replaces the name of one user (`user_id`) or one external user (`external_user`) by a pseudonym wherever the account has it, and removes what is about the person, in the background. Sums stay, and rows of the person still belong together. The name is kept, encrypted, until the job has ended. While a job for the same person is not finished, the answer is that job. 409 while a key, a membership or something else could still act in the person's name: the issues list what. Without restrictions only: a restricted management key may not call it.",
  body: json(CreateErasure),
  success: { schema: dataOf(Erasure), status: 202 },
  errors: [400, 401, 403, 409, 500],
  example: { body: { user_id: "user-7" }, response: { data: queued } }
})

export const getErasure = operation({
  id: "getErasure",
  ...shared,
  method: "GET",
  path: "/gateway/erasures/:id",
  changes: "nothing",
  summary: "Get the state of an erasure",
  params: z.object({ id: uuid.describe(about.id) }),
  success: { schema: dataOf(Erasure) },
  errors: [400, 401, 403, 404, 500],
  example: {
    params,
    response: {
      data: {
        ...queued,
        status: "succeeded",
        erased: { key: 2, usage_event: 1204 },
        started_at: "2026-01-05T09:30:01.000Z",
        finished_at: "2026-01-05T09:30:03.000Z"
      }
    }
  }
})

export const listErasures = operation({
  id: "listErasures",
  ...shared,
  method: "GET",
  path: "/gateway/erasures",
  changes: "nothing",
  summary: "List erasures",
  description: "Finished ones are listed as long as the audit log keeps changes.",
  query: z.object(page),
  success: { schema: listOf(Erasure) },
  errors: [400, 401, 403, 500],
  example: { response: { data: [queued], total_count: 1 } }
})
