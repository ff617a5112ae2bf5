/**
 * The table of operations, in the specification's order, each group followed by its neighbours of the public API.
 *
 * Routing, documentation, handlers and tests are all made from it.
 */
import { createGuardrail, getGuardrail, updateGuardrail } from "./guardrail.ts"
import { createWorkspace, deleteWorkspace, getWorkspace } from "./workspace.ts"

export const operations = [
  createGuardrail,
  updateGuardrail,
  getGuardrail,
  getWorkspace,
  createWorkspace,
  deleteWorkspace
] as const

export type Operation = (typeof operations)[number]
export type OperationId = Operation["id"]
export type OperationOf<Id extends OperationId> = Extract<Operation, { readonly id: Id }>
