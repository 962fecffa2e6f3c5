import { randomUUID } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import PostalMime from 'postal-mime'
import { SMTPServer } from 'smtp-server'

/** A mail as it came in. `to` holds the addresses it was delivered to, joined by commas; `html` is null where there is none. */
export type Mail = {
  id: string
  from: string
  to: string
  subject: string
  text: string
  html: string | null
  at: string
}

const LARGEST_BYTES = 10 * 1024 * 1024

/** Takes mail from anybody on this machine, for anybody. `deliver` must have stored the mail when it returns; only then is the sender told that it was taken. */
export async function openSmtp(port: number, deliver: (mail: Mail) => void) {
  const server = new SMTPServer({
    disabledCommands: ['AUTH', 'STARTTLS'],
    disableReverseLookup: true,
    logger: false,
    size: LARGEST_BYTES,
    closeTimeout: 100,
    onData(stream, session, callback) {
      const recipients = session.envelope.rcptTo.map(({ address }) => address)
      read(stream, recipients).then(
        (mail) => {
          if (stream.sizeExceeded)
            return callback(Object.assign(new Error('The mail is too large'), { responseCode: 552 }))
          deliver(mail)
          callback()
        },
        (error: Error) => callback(error),
      )
    },
  })
  // A sender who hangs up in the middle is no matter for us.
  server.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'ECONNRESET' && error.code !== 'EPIPE') console.error(error)
  })
  await new Promise<void>((resolve, reject) => {
    server.server.once('error', reject)
    server.listen(port, '127.0.0.1', () => resolve())
  })
  return {
    port: (server.server.address() as AddressInfo).port,
    close: () => new Promise<void>((resolve) => server.close(() => resolve())),
  }
}

async function read(stream: NodeJS.ReadableStream, recipients: string[]): Promise<Mail> {
  const parsed = await PostalMime.parse(await buffer(stream))
  return {
    id: randomUUID(),
    from: parsed.from?.address ?? '',
    to: recipients.join(', '),
    subject: parsed.subject ?? '',
    text: parsed.text ?? '',
    html: parsed.html ?? null,
    at: new Date().toISOString(),
  }
}
