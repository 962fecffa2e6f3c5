import { describe, expect, it } from 'vitest'
import { renderEmail } from '../../../emails/render.ts'
import { achievementsEmail, invitationEmail, joinedEmail, movedUpEmail } from './emails.ts'

const to = {
  email: 'ann@example.com',
  referralCode: 'AbC12345',
  position: 7,
  origin: 'https://x.example',
  unsubscribeLink: 'https://x.example/api/waitlist/unsubscribe?token=t',
}
const CONFIRM = 'https://x.example/api/waitlist/confirm?token=t'

describe('emails to members', () => {
  it.each([
    joinedEmail(to, CONFIRM, false),
    movedUpEmail(to, 1),
    achievementsEmail(to, ['bronze'], 3),
    invitationEmail(to),
  ])('$subject: supports one-click unsubscribe (RFC 8058)', (email) => {
    const mail = renderEmail(email)
    expect(mail.headers).toEqual({
      'List-Unsubscribe': `<${to.unsubscribeLink}>`,
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
    })
    expect(mail.text).toContain(to.unsubscribeLink)
    expect(mail.html).toContain(`href="${to.unsubscribeLink}"`)
  })
})

it('joinedEmail contains the position, the referral link and the confirmation link', () => {
  const { text } = renderEmail(joinedEmail(to, CONFIRM, true))
  expect(text).toContain('Your position: #7')
  expect(text).toContain('https://x.example/waitlist?ref=AbC12345')
  expect(text).toContain(CONFIRM)
})

it('movedUpEmail contains the new position and the next reward', () => {
  const mail = renderEmail(movedUpEmail(to, 2))
  expect(mail.subject).toBe("You moved up: you're #7 now")
  expect(mail.text).toContain('2 friends have joined with your link.')
  expect(mail.text).toContain("1 more and you'll be a Bronze Referrer.")
  expect(movedUpEmail({ ...to, position: 0 }, 1).subject).toBe('A friend joined with your link')
})

it('achievementsEmail contains the reward', () => {
  const { subject, text } = renderEmail(achievementsEmail(to, ['silver', 'viral'], 10))
  expect(subject).toBe('You earned the Silver Referrer and Viral Sensation badges')
  expect(text).toContain('3 months of Pro')
  expect(text).toContain('Everything you have earned is in Billing')
  // The other badge needs 5, but has no months.
  expect(renderEmail(achievementsEmail(to, ['bronze', 'viral'], 5)).text).toContain('after 3 of these friends')
  expect(achievementsEmail(to, ['bronze'], 3).subject).toBe('You earned the Bronze Referrer badge')
  expect(renderEmail(achievementsEmail(to, ['global'], 4)).text).not.toContain('Pro')
})
