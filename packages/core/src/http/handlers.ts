/** The total map from operation to meaning. Forgetting an operation, or failing with an undeclared status, does not compile. */
import type { Operation, OperationId, OperationOf, StatusOf, SuccessOf } from "@gatewarden/contract"
import type { Effect } from "effect"
import type { Failure } from "../failure.ts"
import { createGuardrail } from "../guardrail/createGuardrail.ts"
import { getGuardrail } from "../guardrail/getGuardrail.ts"
import { updateGuardrail } from "../guardrail/updateGuardrail.ts"
import type { Services } from "../ports.ts"
import { createWorkspace } from "../workspace/createWorkspace.ts"
import { deleteWorkspace } from "../workspace/deleteWorkspace.ts"
import { getWorkspace } from "../workspace/getWorkspace.ts"
import { data } from "./data.ts"
import type { Input } from "./Input.ts"

/** A handler may fail only with the statuses that its operation declares, and those that any request that is read may meet. */
export type Handler<O extends Operation> = (
  input: Input<O>
) => Effect.Effect<SuccessOf<O>, Extract<Failure, { readonly status: StatusOf<O> | 413 }>, Services>

export type Handlers = { readonly [Id in OperationId]: Handler<OperationOf<Id>> }

export const handlers: Handlers = {
  createGuardrail: ({ caller, body }) => data(createGuardrail(caller, body)),
  updateGuardrail: ({ caller, params, body }) => data(updateGuardrail(caller, params.id, body)),
  getGuardrail: ({ caller, params }) => data(getGuardrail(caller, params.id)),
  getWorkspace: ({ caller, params }) => data(getWorkspace(caller, params.id)),
  createWorkspace: ({ caller, body }) => data(createWorkspace(caller, body)),
  deleteWorkspace: ({ caller, params, query }) =>
    deleteWorkspace(caller, params.id, query.confirm_default_workspace_deletion)
}
