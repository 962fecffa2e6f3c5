import { idOfHandle } from '@x-automated/stand-ins/x/ids'
import { receive } from '../src/domains/outreach/replies/detection.ts'
import type { XHappening } from '../src/outside/x-delivery.ts'
import type { Person } from './makers.ts'
import type { TestApp } from './open-app.ts'
import { launch, makeList, openHandles } from './outreach.ts'

let lastEvent = 10n ** 18n

/** Delivers a message as X does. @param seconds when it was written, from now @param text '' if it is encrypted */
export async function say(app: TestApp, from: string, to: string, text: string, seconds = 1): Promise<void> {
  const [senderId, recipientId] = [idOfHandle(from), idOfHandle(to)]
  lastEvent += 1n
  const at = new Date(Date.now() + seconds * 1_000)
  const handles = { [senderId]: from, [recipientId]: to }
  const ids = { eventId: String(lastEvent), senderId, recipientId }
  const event: XHappening = { kind: 'message', ...ids, at, text, isEncrypted: text === '', handles }
  await receive(app.db, [event])
}

/** People whom a campaign of the workspace has messaged. */
export async function messaged(app: TestApp, person: Person, count = 1) {
  const list = await makeList(app, person, openHandles(count))
  const campaign = await launch(person, list, { channel: 'extension' })
  for (let sent = 0; sent < count; sent += 1) {
    const { body } = await person.call('POST', `/campaigns/${campaign.id}/claim`, { holder: 'test' })
    await person.client.campaigns.recordOutcome({ id: body.dmId, lease: body.lease, wasSent: true })
  }
  return { campaign, handles: list.handles, leadIds: list.leadIds }
}
