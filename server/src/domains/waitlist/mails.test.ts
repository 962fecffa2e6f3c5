import { describe, expect, it } from 'vitest'
import { achievementsMail, invitationMail, joinedMail, movedUpMail } from './mails.ts'

const to = {
  email: 'ann@example.com',
  referralCode: 'AbC12345',
  position: 7,
  origin: 'https://x.example',
  unsubscribeLink: 'https://x.example/api/waitlist/unsubscribe?token=t',
}
const CONFIRM = 'https://x.example/api/waitlist/confirm?token=t'

describe('every mail to a member', () => {
  it.each([
    joinedMail(to, CONFIRM, false),
    movedUpMail(to, 1),
    achievementsMail(to, ['bronze'], 3),
    invitationMail(to),
  ])('$subject: can be ended with one click (RFC 8058)', (mail) => {
    expect(mail.headers).toEqual({
      'List-Unsubscribe': `<${to.unsubscribeLink}>`,
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
    })
    expect(mail.text).toContain(to.unsubscribeLink)
    expect(mail.html).toContain(`href="${to.unsubscribeLink}"`)
  })
})

it('the first mail says the position, the link to share, and asks to confirm', () => {
  const { text } = joinedMail(to, CONFIRM, true)
  expect(text).toContain('Your position: #7')
  expect(text).toContain('https://x.example/waitlist?ref=AbC12345')
  expect(text).toContain(CONFIRM)
})

it('a referral says the new position and what is next', () => {
  const mail = movedUpMail(to, 2)
  expect(mail.subject).toBe("You moved up: you're #7 now")
  expect(mail.text).toContain('2 friends have joined with your link.')
  expect(mail.text).toContain('1 more and you are Bronze Referrer.')
  expect(movedUpMail({ ...to, position: 0 }, 1).subject).toBe('A friend joined with your link')
})

it('an achievement says its reward', () => {
  const { subject, text } = achievementsMail(to, ['silver', 'viral'], 10)
  expect(subject).toBe('You earned Silver Referrer and Viral Sensation')
  expect(text).toContain('3 months of Pro')
  expect(achievementsMail(to, ['global'], 4).text).not.toContain('Pro')
})
