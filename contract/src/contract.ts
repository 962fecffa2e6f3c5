import { account } from './account.ts'
import { analytics } from './analytics.ts'
import { auth } from './auth.ts'
import { billing } from './billing.ts'
import { campaigns } from './campaigns.ts'
import { extension } from './extension-pairings.ts'
import { firstSteps } from './first-steps.ts'
import { identities } from './identities.ts'
import { imports } from './imports.ts'
import { leads } from './leads.ts'
import { lists } from './lists.ts'
import { messages } from './messages.ts'
import { notifications } from './notifications.ts'
import { operator } from './operator.ts'
import { people } from './people.ts'
import { personalData } from './personal-data.ts'
import { replies } from './replies.ts'
import { savedFilters } from './saved-filters.ts'
import { scrapes } from './scrapes.ts'
import { secondFactors } from './second-factors.ts'
import { sendingSettings } from './sending-settings.ts'
import { sso } from './sso.ts'
import { suppressions } from './suppressions.ts'
import { tags } from './tags.ts'
import { waitlist } from './waitlist.ts'
import { webhooks } from './webhooks.ts'
import { xAccount } from './x-account.ts'

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
  scrapes,
  leads,
  imports,
  lists,
  tags,
  savedFilters,
  campaigns,
  extension,
  messages,
  analytics,
  suppressions,
  sendingSettings,
  notifications,
  firstSteps,
  replies,
  waitlist,
  billing,
  operator,
  webhooks,
}
export type Contract = typeof contract
