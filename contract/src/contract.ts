import type { z } from 'zod'
import { account } from './identity/account.ts'
import { auth } from './identity/auth.ts'
import { identities } from './identity/identities.ts'
import { people } from './identity/people.ts'
import { secondFactors } from './identity/second-factors.ts'
import { sso } from './identity/sso.ts'
import { imports } from './leads/imports.ts'
import { leads } from './leads/leads.ts'
import { lists } from './leads/lists.ts'
import { savedFilters } from './leads/saved-filters.ts'
import { scrapes } from './leads/scrapes.ts'
import { suppressions } from './leads/suppressions.ts'
import { tags } from './leads/tags.ts'
import { bulk } from './outreach/bulk.ts'
import { campaignDrafts } from './outreach/campaign-drafts.ts'
import { campaigns } from './outreach/campaigns.ts'
import { conversationOffers } from './outreach/conversation-offers.ts'
import { conversations } from './outreach/conversations.ts'
import { extension } from './outreach/extension-pairings.ts'
import { messages } from './outreach/messages.ts'
import { notes } from './outreach/notes.ts'
import { openers } from './outreach/openers.ts'
import { replies } from './outreach/replies.ts'
import { sending } from './outreach/sending.ts'
import { sendingSettings } from './outreach/sending-settings.ts'
import { enrollments, sequences } from './outreach/sequences.ts'
import { snippets } from './outreach/snippets.ts'
import { templates } from './outreach/templates.ts'
import { writer } from './outreach/writer.ts'
import { analytics } from './overview/analytics.ts'
import { firstSteps } from './overview/first-steps.ts'
import { operator } from './overview/operator.ts'
import { personalData } from './overview/personal-data.ts'
import { reports } from './overview/reports.ts'
import { sampleData } from './overview/sample-data.ts'
import { search } from './overview/search.ts'
import { today } from './overview/today.ts'
import { apiKeys } from './platform/api-keys.ts'
import { billing } from './platform/billing.ts'
import { branding } from './platform/branding.ts'
import { jobs } from './platform/jobs.ts'
import { notifications } from './platform/notifications.ts'
import { webhooks } from './platform/webhooks.ts'
import { xAccount } from './platform/x-account.ts'
import { xApp } from './platform/x-apps.ts'
import { xCosts } from './platform/x-costs.ts'
import { waitlist } from './waitlist/waitlist.ts'

/** Every operation of the API, by domain. */
export const contract = {
  auth,
  account,
  identities,
  secondFactors,
  personalData,
  people,
  sso,
  xAccount,
  xApp,
  xCosts,
  scrapes,
  leads,
  imports,
  lists,
  tags,
  savedFilters,
  campaigns: { ...campaigns, ...sending },
  campaignDrafts,
  sequences,
  enrollments,
  extension,
  messages,
  analytics,
  suppressions,
  sendingSettings,
  notifications,
  firstSteps,
  sampleData,
  search,
  today,
  replies,
  conversations,
  conversationOffers,
  notes,
  snippets,
  templates,
  writer,
  openers,
  jobs: { ...jobs, ...bulk },
  waitlist,
  billing,
  operator,
  webhooks,
  apiKeys,
  branding,
  reports,
}
export type Contract = typeof contract

/** An operation's name, such as `lists.create`. */
export type OperationName = {
  [D in keyof Contract]: `${D}.${keyof Contract[D] & string}`
}[keyof Contract]

/** The validated input of an operation, such as `InputOf<'tags', 'create'>`. */
export type InputOf<D extends keyof Contract, O extends keyof Contract[D]> = Contract[D][O] extends {
  '~orpc': { inputSchema?: infer Input extends z.ZodType }
}
  ? z.output<Input>
  : never
