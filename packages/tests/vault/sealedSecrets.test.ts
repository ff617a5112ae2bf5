import { sealedSecretsSuite } from "@gatewarden/conformance/internal/vault/SealedSecrets.suite"
import { type StoreKind, stores } from "@gatewarden/testkit/stores/stores"

for (const kind of Object.keys(stores) as StoreKind[]) sealedSecretsSuite(kind, () => stores[kind])
