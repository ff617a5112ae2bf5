import { auditLogSuite } from "../../src/audit/AuditLog.suite.ts"
import { type StoreKind, stores } from "../../src/stores/stores.ts"

for (const kind of Object.keys(stores) as StoreKind[]) auditLogSuite(kind, () => stores[kind])
