import { auditLogSuite } from "@gatewarden/conformance/internal/audit/AuditLog.suite"
import { everyStore } from "@gatewarden/testkit/stores/stores"

for (const [kind, store] of everyStore) auditLogSuite(kind, () => store)
