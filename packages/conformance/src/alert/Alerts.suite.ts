/**
 * Holds a store to what alerts need: one row for each crossing, whoever detects it and however often; deliveries under leases; quiet time,
 * and an end for what nobody accepts.
 */
import type { StorePorts } from "@gatewarden/core/store"
import { describe } from "@effect/vitest"
import type { Layer } from "effect"
import { alertsUnderTest } from "./alertsUnderTest.ts"
import { testAlertDeliveries } from "./testAlertDeliveries.ts"
import { testAlertShares } from "./testAlertShares.ts"
import { testCrossings } from "./testCrossings.ts"
import { testExpiringKeys } from "./testExpiringKeys.ts"
import { testFailingDestinations } from "./testFailingDestinations.ts"
import { testQuietTime } from "./testQuietTime.ts"

export const alertsSuite = (name: string, makeStore: () => Layer.Layer<StorePorts, unknown>): void => {
  describe(`alerts: ${name}`, () => {
    const store = alertsUnderTest(makeStore)
    testCrossings(store)
    testExpiringKeys(store)
    testFailingDestinations(store)
    testAlertDeliveries(store)
    testQuietTime(store)
    testAlertShares(store)
  })
}
