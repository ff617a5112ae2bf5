import { v5 as nameBasedUuid } from "uuid"

/** Never change this namespace: platforms recognise events by these ids. */
const deliveryNamespace = "6e2b7c0a-9a1f-5f0e-8a53-4d0b1f6c9e27"

/** A UUID that depends on these texts alone: the same event or batch has it again whenever it is sent. Source: RFC 9562 5.5. */
export const uuidOf = (...texts: readonly string[]): string => nameBasedUuid(JSON.stringify(texts), deliveryNamespace)
