import { setTimeout as sleep } from 'node:timers/promises'
import { SENDING_CHANNEL } from '../../server/src/core/messages/schedule.ts'
import type { SendingEnv } from '../../server/src/core/messages/sending-state.ts'
import '../../server/src/connect-core.ts'
import { openChannels } from '../../server/src/db/channels.ts'
import { createRequestWorker } from '../../server/src/db/liveness.ts'
import type { Database } from '../../server/src/db/open.ts'
import { REVOCATIONS_CHANNEL } from '../../server/src/domains/identity/auth/tokens.ts'
import { MEMBERSHIPS_CHANNEL } from '../../server/src/domains/identity/workspaces/workspaces.ts'
import { openEvents } from '../../server/src/domains/platform/events/events.ts'
import { EVENTS_CHANNEL, RECORDED_CHANNEL } from '../../server/src/domains/platform/events/recording.ts'
import { createXMeters } from '../../server/src/domains/platform/x-costs/meter.ts'
import type { XApi } from '../../server/src/outside/x.ts'
import { createSealer } from '../../server/src/sealing.ts'
import type { Services } from '../../server/src/services.ts'
import { openTestLog } from '../../server/test/test-log.ts'
import { SECRET } from '../measuring/env.ts'

const CHANNELS = [SENDING_CHANNEL, EVENTS_CHANNEL, RECORDED_CHANNEL, MEMBERSHIPS_CHANNEL, REVOCATIONS_CHANNEL]
export const sealer = createSealer(SECRET, 'x-automated x tokens')

/** Opens a sender's services. @param answerMs how long X takes per message @param onSent called for each message */
export function openSenderServices(
  database: Database,
  { dailyDmCap, answerMs = 0, onSent = () => {} }: { dailyDmCap: number; answerMs?: number; onSent?: () => void },
): { services: Services; close(): Promise<void> } {
  const channels = openChannels(database, CHANNELS)
  const log = openTestLog((error) => {
    throw error
  })
  const requestWorker = createRequestWorker(database)
  const events = openEvents({ database, channels, requestWorker, log })
  const xMeters = createXMeters({ database, isPriced: false, log })
  let sent = 0
  const x = {
    sendMessage: async () => {
      if (answerMs > 0) await sleep(answerMs)
      sent += 1
      onSent()
      return { eventId: `${process.pid}${sent}` }
    },
  } as unknown as XApi
  const env: SendingEnv = { sendIntervalSeconds: 0, dailyDmCap, isRealX: false, messageMills: 15, x: null }
  return {
    services: { database, channels, events, sealer, x, xMeters, env, log } as unknown as Services,
    async close() {
      await xMeters.close()
      await events.close()
      await requestWorker.close()
    },
  }
}
