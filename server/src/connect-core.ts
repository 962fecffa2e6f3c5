import { connect } from './core/neighbors.ts'
import { createMissing } from './domains/leads/tags/service.ts'
import {
  allowanceOf,
  beyondPlan,
  factsOf,
  findFilterLimit,
  planOf,
  usageOf,
  use,
} from './domains/platform/billing/service.ts'
import { publishEvents } from './domains/platform/events/service.ts'
import { notifyOwners, notifyReplies } from './domains/platform/notifications/service.ts'
import { storeHandle } from './domains/platform/x-account/service.ts'
import { usableToken, withAccount } from './domains/platform/x-account/tokens.ts'
import { ensureWebhook, saveDay, webhookUrl } from './domains/platform/x-apps/service.ts'
import { withFunds } from './domains/platform/x-costs/funds.ts'
import { chargeMessage } from './domains/platform/x-costs/meter.ts'
import { fundsRefusal } from './domains/platform/x-costs/service.ts'

// Imported once per process, by start.ts and by what uses the core without it (tests, the seed).
connect({
  allowanceOf,
  beyondPlan,
  factsOf,
  findFilterLimit,
  planOf,
  usageOf,
  use,
  publishEvents,
  notifyOwners,
  createTags: createMissing,
  notifyReplies,
  usableToken,
  withAccount,
  storeHandle,
  ensureWebhook,
  saveDay,
  webhookUrl,
  withFunds,
  chargeMessage,
  fundsRefusal,
})
