import { apiKeysSuite } from "@gatewarden/conformance/internal/key/ApiKeys.suite"
import { type StoreKind, stores } from "@gatewarden/testkit/stores/stores"

for (const kind of Object.keys(stores) as StoreKind[]) apiKeysSuite(kind, () => stores[kind])
