import { sql } from 'drizzle-orm'
import { beforeAll, expect, it, onTestFinished } from 'vitest'
import { type Letter, mailTo, makeAccount, PASSWORD } from '../../test/accounts.ts'
import { call } from '../../test/makers.ts'
import { openApp, type TestApp } from '../../test/open-app.ts'

let app: TestApp
beforeAll(async () => {
  app = await openApp({ mailbox: true, workers: true })
})

it('says in every email where answers go, and that it was generated', async () => {
  const { email } = await makeAccount(app)
  const joined = {
    subject: 'You moved up',
    lines: [],
    action: { label: 'Open', link: 'http://localhost' },
    closing: '',
  }
  await app.services.outbox.post(app.db, { ...joined, to: email, unsubscribeLink: 'http://localhost/stop' })
  await call(app, 'POST', '/auth/recover', { email })
  for (const subject of [/^You moved up$/, /^Reset your password$/]) {
    const { id } = (await mailTo(app, email, subject)) as Letter & { id: string }
    const headers = app.mailbox.headersOf(id) ?? {}
    expect([headers['reply-to'], headers['auto-submitted']]).toEqual([app.env.supportEmail, 'auto-generated'])
    expect(headers['list-unsubscribe']).toBe(subject.test('You moved up') ? '<http://localhost/stop>' : undefined)
  }
})

it('sends emails about accounts although a burst of other emails waits', async () => {
  const { email } = await makeAccount(app)
  app.mailbox.slowDown(100)
  onTestFinished(async () => {
    app.mailbox.slowDown(0)
    await app.db.execute(sql`delete from pgboss.job where name = 'mail'`)
  })
  const joined = { subject: "You're on the waitlist", lines: [], action: { label: 'Open', link: 'http://localhost' } }
  const burst = Array.from({ length: 1_000 }, (_, n) => ({ ...joined, to: `burst${n}@example.com`, closing: '' }))
  await app.services.outbox.postAll(app.db, burst)

  await call(app, 'POST', '/auth/recover', { email })
  await call(app, 'POST', '/auth/otp', { email })
  await call(app, 'POST', '/auth/sign-up/email', { email: 'new@example.com', password: PASSWORD })
  await mailTo(app, email, /^Reset your password$/)
  await mailTo(app, email, /^Your code: /)
  await mailTo(app, 'new@example.com', /^Confirm your email address$/)
  const { rows } = await app.db.execute<{ waiting: number }>(
    sql`select count(*)::int as waiting from pgboss.job where name = 'mail' and state = 'created'`,
  )
  expect(rows[0]?.waiting).toBeGreaterThan(500)
})
