import { client, errorCode } from '../../../api'

/** Maximum number of attempts, because others may queue messages between the check and the launch. */
const TRIES = 3

type Launch = Omit<Parameters<typeof client.campaigns.queue>[0], 'limit'>

/** The API calls of a launch. */
export interface LaunchCalls {
  /** How many DMs the plan still allows this month; null if unlimited. */
  findLeft: () => Promise<number | null>
  queue: (input: Launch & { limit?: number }) => ReturnType<typeof client.campaigns.queue>
}

/** Launches a campaign for as many people as the plan allows. The others wait for the next month. */
export async function launchWithinPlan(input: Launch, calls = CALLS) {
  let left = await calls.findLeft()
  for (let tries = 1; ; tries += 1) {
    try {
      return await calls.queue({ ...input, ...(left !== null && { limit: left }) })
    } catch (error) {
      if (errorCode(error) !== 'PLAN_LIMIT' || tries === TRIES) throw error
      left = await calls.findLeft()
    }
  }
}

const CALLS: LaunchCalls = {
  async findLeft() {
    const dms = (await client.billing.overview({})).usage.find(({ what }) => what === 'dms')
    return dms?.limit == null ? null : Math.max(0, dms.limit - dms.used)
  },
  queue: (input) => client.campaigns.queue(input),
}
