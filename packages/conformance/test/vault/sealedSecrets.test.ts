import { sealedSecretsSuite } from "../../src/vault/SealedSecrets.suite.ts"
import { type StoreKind, stores } from "../../src/stores/stores.ts"

for (const kind of Object.keys(stores) as StoreKind[]) sealedSecretsSuite(kind, () => stores[kind])
