import { type PageName, paths } from '../../../paths'

export interface NavigationLink {
  label: string
  to: string
}

function links(wanted: readonly (readonly [PageName, string])[]): NavigationLink[] {
  return wanted.map(([name, label]) => ({ label, to: paths[name] }))
}

/** Header links for signed-in users. */
export const memberLinks = links([
  ['xAutomation', 'X automation'],
  ['leads', 'Leads'],
  ['lists', 'Lists'],
  ['campaigns', 'Campaigns'],
  ['leaderboard', 'Leaderboard'],
])

/** Header links for guests. */
export const guestLinks = links([
  ['home', 'Home'],
  ['pricing', 'Pricing'],
  ['leaderboard', 'Leaderboard'],
])

/** Links of the profile menu. */
export const profileLinks = links([
  ['dashboard', 'Dashboard'],
  ['xAutomation', 'X Automation'],
  ['leads', 'Leads'],
  ['lists', 'Lists'],
  ['campaigns', 'Campaigns'],
  ['billing', 'Billing & Subscription'],
  ['account', 'Account'],
  ['settings', 'Settings'],
  ['extension', 'Browser extension'],
])
