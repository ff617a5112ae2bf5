/** Nothing of the table is left out: cases for every status, a model command for every operation, a use for every reason. */
import { operations, type OperationShape, reasons } from "@gatewarden/contract"
import { assert, describe, it } from "@effect/vitest"
import { BadRequest } from "../../core/src/value/failure.ts"
import { sourceFiles } from "@gatewarden/testkit/sourceFiles"
import { suites } from "@gatewarden/conformance/internal/http/suites"
import { commands } from "@gatewarden/conformance/internal/modelBased/commands"

const table: readonly OperationShape[] = operations

describe("the table of operations", () => {
  it("names every operation and every route once", () => {
    const ids = table.map(({ id }) => id)
    const routes = table.flatMap(({ method, path, alias }) =>
      [path, ...(alias === undefined ? [] : [alias])].map((each) => `${method} ${each.replace(/:[a-z_]+/g, ":")}`)
    )
    assert.strictEqual(new Set(ids).size, ids.length)
    assert.strictEqual(new Set(routes).size, routes.length)
  })

  // By hand: keys that may only read may call these, so that nothing is among them that stores or sends anything.
  it("calls changeless, besides GET, only what is a query with a body", () => {
    const queries = table.filter(({ method, changes }) => method !== "GET" && changes === "nothing")
    assert.sameMembers(
      queries.map(({ id }) => id),
      ["queryAnalytics", "createExplanation"]
    )
  })

  it("declares the 400 of a malformed Idempotency-Key for every POST that may be repeated", () => {
    const silent = table.filter(
      ({ method, access, errors }) => method === "POST" && access !== "anyone" && !errors.includes(400)
    )
    assert.deepEqual(
      silent.map(({ id }) => id),
      []
    )
  })

  // By hand: requests#wire-profiles names these.
  it("answers 201 to the public client where it creates these", () => {
    assert.sameMembers(
      table.filter(({ success }) => success.creates).map(({ id }) => id),
      [
        ...["createGuardrail", "createByokCredential", "createKey", "createManagementKey", "createWorkspace"],
        ...["createDestination", "createGroupMapping", "createPrivateEndpoint", "createPrivateProvider"],
        ...["createExternalUser", "rotateKey"]
      ]
    )
  })

  // Rule: requests#absent-bodies. The schemas of SCIM leave it to the operation what a resource must have.
  it("lets a body be left out where no field of it is required", () => {
    const json = table.flatMap(({ id, method, errorForm, body }) =>
      body?.kind === "json" ? [{ id, method, errorForm, body }] : []
    )
    assert.sameMembers(
      json.filter(({ body }) => body.optional === true).map(({ id }) => id),
      json
        .filter(
          ({ method, errorForm, body }) => method !== "PUT" && errorForm !== "scim" && body.schema.safeParse({}).success
        )
        .map(({ id }) => id)
    )
  })

  for (const operation of table)
    it(`${operation.id}: every declared status has a case`, () => {
      const produced = new Set(
        suites
          .filter((suite) => suite.operation === operation.id)
          .flatMap(({ cases }) => cases.map(({ status }) => status))
      )
      const promised = [operation.success.status ?? 200, ...(operation.success.etag ? [304] : []), ...operation.errors]
      assert.deepEqual(
        promised.filter((status) => !produced.has(status)),
        []
      )
    })

  it("has one suite for each operation", () => {
    assert.sameMembers(
      suites.map(({ operation }) => operation as string),
      table.map(({ id }) => id)
    )
  })

  it("has one command of the model for each operation", () => {
    assert.sameMembers(
      commands.map(({ operation }) => operation as string),
      table.map(({ id }) => id)
    )
  })
})

describe("the catalogue of reasons", () => {
  it("does not let an error have a reason of another status", () => {
    // @ts-expect-error: the catalogue has `not_found` with 404 alone
    const wrong = new BadRequest({ reason: "not_found" })
    assert.strictEqual(wrong.status, 400)
  })

  it("holds no reason that nothing gives", async () => {
    const sources = await sourceFiles("contract", "core", "postgres", "node")
    const texts = sources.filter(({ file }) => file !== "contract/src/error.ts").map(({ text }) => text)
    const unused = Object.keys(reasons).filter((reason) => !texts.some((text) => text.includes(`"${reason}"`)))
    assert.deepEqual(unused, [])
  })
})
