/** Four acts, each of claims that are checked while it runs. A minute at most; no keys, no services, nothing kept. */
import { actEmbed } from "./actEmbed.ts"
import { actLeak } from "./actLeak.ts"
import { actMoney } from "./actMoney.ts"
import { actWhy } from "./actWhy.ts"
import { demoCatalog } from "./catalog.ts"
import { type Claim, makeScreen, type ScreenOptions } from "./Screen.ts"
import { openStage } from "./Stage.ts"

export interface Performance {
  readonly claims: readonly Claim[]
  readonly seconds: number
}

export const runDemo = async (options: ScreenOptions): Promise<Performance> => {
  const started = performance.now()
  const screen = makeScreen(options)
  const stage = await openStage(screen)
  try {
    await stage.manage("PUT", "/gateway/catalog", demoCatalog)
    const moneyAfterwards = await actMoney(stage)
    await actWhy(stage)
    await actLeak(stage)
    await actEmbed(stage)
    await moneyAfterwards()
  } finally {
    await stage.close()
  }
  return { claims: screen.claims(), seconds: (performance.now() - started) / 1000 }
}
