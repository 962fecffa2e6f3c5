import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createTransport } from 'nodemailer'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Mail } from './mailbox/smtp.ts'
import { type Mailbox, type MailboxOptions, startMailbox } from './mailbox.ts'

async function openMailbox(options: MailboxOptions = {}) {
  const mailbox = await startMailbox(options)
  const transport = createTransport({ url: mailbox.smtpUrl, pool: true })
  onTestFinished(async () => {
    transport.close()
    await mailbox.close()
  })
  const send = (mail: object) => transport.sendMail({ from: 'X-Automated <hello@x-automated.test>', ...mail })
  return { ...mailbox, send, messages: (query = '') => messages(mailbox, query) }
}

function folder() {
  const path = mkdtempSync(join(tmpdir(), 'mailbox-'))
  onTestFinished(() => rmSync(path, { recursive: true }))
  return path
}

async function messages(mailbox: Pick<Mailbox, 'url'>, query = ''): Promise<Mail[]> {
  return (await fetch(`${mailbox.url}/messages${query}`)).json() as Promise<Mail[]>
}

describe('GET /messages', () => {
  test('returns an email unchanged in any encoding', async () => {
    const box = await openMailbox()
    await box.send({
      to: 'ada@example.com',
      subject: 'Bestätige 🎉 مرحبا',
      text: 'Grüße\nhttp://localhost/a?b=c&d=e',
      html: '<p>Grüße</p>',
    })
    expect(await box.messages()).toEqual([
      {
        id: expect.any(String),
        from: 'hello@x-automated.test',
        to: 'ada@example.com',
        subject: 'Bestätige 🎉 مرحبا',
        text: 'Grüße\nhttp://localhost/a?b=c&d=e\n',
        html: '<p>Grüße</p>\n',
        at: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      },
    ])
  })

  test('lists emails newest first and filters by recipient, ignoring case', async () => {
    const box = await openMailbox()
    for (const [to, subject] of [
      ['ada@example.com', 'one'],
      ['bob@example.com', 'two'],
      ['bob@example.com, Ada@Example.com', 'three'],
    ]) {
      await box.send({ to, subject, text: 'x' })
    }
    expect((await box.messages()).map(({ subject }) => subject)).toEqual(['three', 'two', 'one'])
    expect((await box.messages('?to=ADA@example.com')).map(({ subject }) => subject)).toEqual(['three', 'one'])
    expect(await box.messages('?to=example.com')).toEqual([])
    expect((await box.messages())[0]?.html).toBeNull()
  })

  test('deletes all emails on DELETE /messages', async () => {
    const box = await openMailbox()
    await box.send({ to: 'ada@example.com', subject: 'x', text: 'x' })
    expect((await fetch(`${box.url}/messages`, { method: 'DELETE' })).status).toBe(204)
    expect(await box.messages()).toEqual([])
  })
})

describe('the page', () => {
  test('loads only its own script and nothing from outside', async () => {
    const { url } = await openMailbox()
    const page = await fetch(url)
    const policy = page.headers.get('content-security-policy')
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'")
    const html = await page.text()
    const sources = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, source]) => source)
    expect(sources).toEqual(['data:,', '/page.css', '/page.js'])
    for (const source of sources.slice(1)) expect((await fetch(url + source)).status).toBe(200)
  })

  test('sandboxes the HTML of an email and opens its links in a new tab', async () => {
    const box = await openMailbox()
    await box.send({
      to: 'ada@example.com',
      subject: 'x',
      html: '<script>alert(1)</script><a href="http://localhost">x</a>',
    })
    const [mail] = await box.messages()
    const response = await fetch(`${box.url}/messages/${mail?.id}/html`)
    expect(response.headers.get('content-security-policy')).toMatch(
      /^default-src 'none';.*; sandbox allow-popups allow-popups-to-escape-sandbox$/,
    )
    expect(await response.text()).toContain('<base target="_blank">')
    expect((await fetch(`${box.url}/messages/unknown/html`)).status).toBe(404)
    expect((await fetch(`${box.url}/messages/unknown`)).status).toBe(404)
    expect(await (await fetch(`${box.url}/messages/${mail?.id}`)).json()).toEqual(mail)
  })

  test('answers the list with 304 until it changes', async () => {
    const box = await openMailbox()
    const first = await fetch(`${box.url}/summaries`)
    const headers = { 'if-none-match': first.headers.get('etag') ?? '' }
    expect((await fetch(`${box.url}/summaries`, { headers })).status).toBe(304)
    await box.send({ to: 'ada@example.com', subject: 'x', text: 'start' })
    const changed = await fetch(`${box.url}/summaries`, { headers })
    expect(await changed.json()).toEqual([expect.objectContaining({ subject: 'x', start: 'start\n' })])
  })
})

test('keeps emails across a restart, but not deleted ones', async () => {
  const stateDir = folder()
  const first = await openMailbox({ stateDir })
  await first.send({ to: 'ada@example.com', subject: 'gone', text: 'x' })
  await fetch(`${first.url}/messages`, { method: 'DELETE' })
  await first.send({ to: 'ada@example.com', subject: 'kept', text: 'x' })
  const second = await openMailbox({ stateDir })
  expect((await second.messages()).map(({ subject }) => subject)).toEqual(['kept'])
})

test('keeps the newest 2,000 emails', async () => {
  const stateDir = folder()
  const mails = Array.from({ length: 2000 }, (_, n) => ({
    type: 'mail',
    mail: { id: `${n}`, to: 'ada@example.com', text: '' },
  }))
  writeFileSync(join(stateDir, 'mailbox.jsonl'), mails.map((mail) => `${JSON.stringify(mail)}\n`).join(''))
  const box = await openMailbox({ stateDir })
  await box.send({ to: 'ada@example.com', subject: 'newest', text: 'x' })
  const messages = await box.messages()
  expect(messages).toHaveLength(2000)
  expect(messages[0]?.subject).toBe('newest')
  expect(messages.at(-1)?.id).toBe('1')
})
