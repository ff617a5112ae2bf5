/**
 * The id of a workspace's default guardrail, known before it is first stored.
 *
 * Rule: guardrails#default-guardrail. Source: RFC 9562 5.5.
 */
import { v5 as nameBasedUuid } from "uuid"

/** Never change this namespace: ids that users rely on are derived from it. */
const defaultGuardrailNamespace = "d7a02956-81ec-4ec2-b594-dc6a30462555"

/** The id of the default guardrail of a workspace; the case in which the workspace id is written does not matter. */
export const defaultGuardrailId = (workspaceId: string): string =>
  nameBasedUuid(workspaceId.toLowerCase(), defaultGuardrailNamespace)
