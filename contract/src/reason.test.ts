import { describe, expect, it } from 'vitest'
import { dmWaitText, pauseText, refusalText, type SkipReason, skipText } from './reason.ts'

const contacted = 'Skipped: this person was already messaged'

it.each<[SkipReason, string]>([
  [{ code: 'suppressed', params: { reason: 'opted_out' } }, 'Skipped: this person has opted out.'],
  [{ code: 'suppressed', params: { reason: 'replied_stop' } }, 'Skipped: this person has opted out.'],
  [{ code: 'suppressed', params: { reason: 'import' } }, 'Skipped: this person is on your suppression list.'],
  [{ code: 'replied', params: {} }, 'Skipped: this person has replied.'],
  [{ code: 'replied', params: { how: 'request' } }, 'Skipped: this person wrote to you. Accept their request on X.'],
  [{ code: 'written_by_hand', params: {} }, 'Skipped: you messaged this person on X yourself.'],
  [{ code: 'no_basis', params: {} }, 'Skipped: this person has no contact basis. Set one on the leads page.'],
  [{ code: 'duplicate', params: {} }, 'Skipped: this person is a duplicate of a lead who was already messaged.'],
  [{ code: 'lead_missing', params: {} }, 'Skipped: Lead data or Twitter handle missing during processing.'],
  [
    { code: 'contacted', params: { how: 'campaign', campaign: 'Spring' } },
    'Skipped: this person already got the campaign “Spring”.',
  ],
  [{ code: 'contacted', params: { how: 'direct' } }, 'Skipped: this person already got a direct message.'],
  [
    { code: 'contacted', params: { how: 'earlier_lead' } },
    `${contacted}, before their lead was deleted and added again.`,
  ],
  [{ code: 'contacted', params: { how: 'x_user' } }, `${contacted}.`],
  [{ code: 'contacted', params: { how: 'backup' } }, `${contacted}, after the restored backup.`],
  [
    { code: 'queued_elsewhere', params: { how: 'campaign', campaign: 'Spring' } },
    'Skipped: this person is in the campaign “Spring”.',
  ],
  [
    { code: 'queued_elsewhere', params: { how: 'direct' } },
    'Skipped: this person is already queued for a direct message.',
  ],
  [{ code: 'queued_elsewhere', params: {} }, 'Skipped: this person is already queued elsewhere.'],
])('renders %o', (reason, text) => {
  expect(skipText(reason)).toBe(text)
})

it('begins a refusal with a capital letter instead of "Skipped"', () => {
  expect(refusalText({ code: 'written_by_hand', params: {} })).toBe('You messaged this person on X yourself.')
})

it('shows what X said instead of its own text', () => {
  const reason = { code: 'x_locked' as const, params: {} }
  expect([pauseText(reason, 'Your account is locked.'), pauseText(reason, null)]).toEqual([
    'Your account is locked.',
    'X has locked this account.',
  ])
})

it('names no cause of a disconnect, because a user may have disconnected the account', () => {
  expect(pauseText({ code: 'x_disconnected', params: {} }, null)).toBe(
    'This X account is disconnected. Connect it again, then resume.',
  )
})

it.each([
  [true, 'X-Automated first reads from X'],
  [false, 'No connected X account can show'],
])('names the backup and the next step after a restore (readable: %s)', (isReadable, next) => {
  const params = { backedUpAt: '2026-11-02T09:05:00.000Z', isReadable }
  expect(pauseText({ code: 'restored', params }, null)).toContain(
    `Restored from the backup of November 2, 2026 at 9:05 AM UTC. ${next}`,
  )
})

describe('dmWaitText', () => {
  const now = new Date('2026-03-05T12:00:00Z')
  it.each([
    ['2026-03-05T09:10:00.000Z', 'Wrote to this person 3 hours ago'],
    ['2026-03-05T11:50:00.000Z', 'Wrote to this person less than an hour ago'],
  ])('says how long ago %s was', (at, text) => {
    expect(dmWaitText({ code: 'day_apart', params: { at } }, now)).toBe(text)
  })

  it('says why someone is tried again later', () => {
    expect(dmWaitText({ code: 'inbox_unclear', params: {} }, now)).toBe(
      "Tried again later: X didn't show whether they can be messaged",
    )
  })

  it('says that it is unknown whether a message arrived', () => {
    expect(dmWaitText({ code: 'settling', params: {} }, now)).toBe('Checking on X whether it arrived')
  })

  it('is null for a skipped message', () => {
    expect(dmWaitText({ code: 'replied', params: {} }, now)).toBeNull()
  })
})
