import type { FirstStep } from '@x-automated/contract/overview/first-steps'
import type { Role } from '@x-automated/contract/route'
import { paths } from '../../../paths'

interface StepText {
  title: string
  text: string
  /** The label and target of the button. */
  action: string
  to: string
  /** The role that the step requires. Other users see who has it. */
  needs: Role
}

export const stepText: Record<FirstStep, StepText> = {
  connect_x: {
    title: 'Connect your X account',
    text: 'Your messages are sent from it, at a human pace.',
    action: 'Connect X',
    to: paths.xAutomation,
    needs: 'admin',
  },
  find_leads: {
    title: 'Find leads',
    text: 'Scrape the followers of an account your customers follow, or import a CSV file.',
    action: 'Find leads',
    to: `${paths.xAutomation}?tab=scraper`,
    needs: 'member',
  },
  make_list: {
    title: 'Put them on a list',
    text: 'Select leads and choose Add to list. A campaign messages everyone on a list.',
    action: 'Select leads',
    to: paths.leads,
    needs: 'member',
  },
  launch_campaign: {
    title: 'Launch a campaign',
    text: 'Write one message, preview it for each lead, and launch.',
    action: 'Write a message',
    to: paths.campaigns,
    needs: 'member',
  },
}
