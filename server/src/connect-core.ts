import { connect } from './core/neighbors.ts'
import { createMissing } from './domains/leads/tags/tags.ts'
import { offerSenders } from './domains/outreach/conversation-offers/offers.ts'
import {
  allowanceOf,
  beyondPlan,
  factsOf,
  findFilterLimit,
  planOf,
  usageOf,
  use,
} from './domains/platform/billing/plan.ts'
import { publishEvents } from './domains/platform/events/events.ts'
import { notifyOwners, notifyReplies } from './domains/platform/notifications/notifications.ts'
import { usableToken, withAccount } from './domains/platform/x-account/tokens.ts'
import { storeHandle } from './domains/platform/x-account/x-account.ts'
import { ensureWebhook, saveDay, webhookUrl } from './domains/platform/x-apps/x-apps.ts'
import { withFunds } from './domains/platform/x-costs/funds.ts'
import { chargeMessage } from './domains/platform/x-costs/meter.ts'
import { fundsRefusal } from './domains/platform/x-costs/x-costs.ts'

// Imported once per process: by start.ts, and by what uses the core without start.ts (tests, the seed, benchmarks).
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
  offerSenders,
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
