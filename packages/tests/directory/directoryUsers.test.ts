import { directoryUsersSuite } from "@gatewarden/conformance/internal/directory/DirectoryUsers.suite"
import { type StoreKind, stores } from "@gatewarden/testkit/stores/stores"

for (const kind of Object.keys(stores) as StoreKind[]) directoryUsersSuite(kind, () => stores[kind])
