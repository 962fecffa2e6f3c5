import { expect, it } from 'vitest'
import { mailboxOf } from './open-mail'

it.each([
  ['ada@gmail.com', 'Gmail'],
  ['Ada@GoogleMail.com ', 'Gmail'],
  ['ada@hotmail.co.uk', 'Outlook'],
  ['ada@yahoo.de', 'Yahoo Mail'],
  ['ada@me.com', 'iCloud Mail'],
  ['ada@proton.me', 'Proton Mail'],
  ['ada@notgmail.com', undefined],
  ['ada@gmail.com.example.com', undefined],
  ['ada@company.com', undefined],
])('opens the mailbox of %s', (email, name) => {
  expect(mailboxOf(email)?.name).toBe(name)
})
