import { sql } from 'drizzle-orm'
import { beforeAll, expect, it, onTestFinished } from 'vitest'
import { mailTo, makeAccount, PASSWORD } from '../../test/accounts.ts'
import { call } from '../../test/makers.ts'
import { openApp, type TestApp } from '../../test/open-app.ts'

let app: TestApp
beforeAll(async () => {
  app = await openApp({ mailbox: true, workers: true })
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
