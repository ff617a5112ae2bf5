/**
 * The id of a workspace's default guardrail, known before it is first stored.
 *
 * Rule: guardrails#default-guardrail. Source: RFC 9562 5.5.
 */
import { sha1 } from "./sha1.ts"

/** Ours alone, and never to change: ids that users have written down are derived from it. */
const defaultGuardrailNamespace = "d7a02956-81ec-4ec2-b594-dc6a30462555"

/** The id of the default guardrail of a workspace; the case in which the workspace id is written does not matter. */
export const defaultGuardrailId = (workspaceId: string): string =>
  nameBasedUuid(defaultGuardrailNamespace, workspaceId.toLowerCase())

/** UUID version 5: SHA-1 of the namespace's 16 bytes and the UTF-8 of the name (RFC 9562 5.5). */
export const nameBasedUuid = (namespace: string, name: string): string => {
  const prefix = namespace.replaceAll("-", "").match(/../g) ?? []
  const bytes = sha1(
    Uint8Array.of(...prefix.map((pair) => Number.parseInt(pair, 16)), ...new TextEncoder().encode(name))
  ).slice(0, 16)
  const view = new DataView(bytes.buffer)
  view.setUint8(6, (view.getUint8(6) & 0x0f) | 0x50)
  view.setUint8(8, (view.getUint8(8) & 0x3f) | 0x80)
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5")
}
