import { auditLogSuite } from "@gatewarden/conformance/internal/audit/AuditLog.suite"
import { type StoreKind, stores } from "@gatewarden/testkit/stores/stores"

for (const kind of Object.keys(stores) as StoreKind[]) auditLogSuite(kind, () => stores[kind])
