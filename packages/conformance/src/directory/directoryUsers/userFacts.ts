/** Users as the cases of a directory have them, and bodies that are none. */
import { assert } from "@effect/vitest"
import type { Case } from "../../http/Case.ts"
import { scimRefused } from "../directoryCases.ts"

export const body = { userName: "ann@example.com" }

export const work = { value: "ann@work.example", type: "work", primary: true }
export const home = { value: "ann@home.example", type: "home" }

/** Bodies that no user can be read from. */
export const unreadable = (operation: "createDirectoryUser" | "putDirectoryUser"): readonly Case[] =>
  Object.entries({
    "no name": {},
    "an empty name": { userName: "" },
    "a blank name": { userName: "  " },
    "a name that is no text": { userName: 7 },
    "a name of 257 characters": { userName: "u".repeat(257) },
    "a name twice, in two cases": { userName: "ann", USERNAME: "bob" },
    "an active that is no boolean": { ...body, active: "perhaps" },
    "a name of a person that is a text": { ...body, name: "Ann" },
    "an address that is a number": { ...body, emails: [{ value: 7 }] },
    "101 addresses": { ...body, emails: Array.from({ length: 101 }, () => ({ value: "a@example.com" })) },
    "a text of 1,025 characters": { ...body, title: "t".repeat(1_025) },
    "more than is kept of a user": {
      ...body,
      ...Object.fromEntries(
        ["emails", "roles"].map((name) => [name, Array.from({ length: 50 }, () => ({ value: "v".repeat(1_024) }))])
      )
    }
  }).map(([name, sent]) => scimRefused(operation, "User", name, sent, "invalidValue"))

export const taken = (name: string, run: Case["run"]): Case => ({
  name,
  status: 409,
  run,
  check: ({ json }) => assert.strictEqual(json.scimType, "uniqueness")
})
