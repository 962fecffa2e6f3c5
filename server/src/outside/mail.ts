import nodemailer from 'nodemailer'

export interface Mail {
  to: string
  subject: string
  text: string
  html: string
  /** Beside those that every mail has. */
  headers?: Record<string, string>
}

export interface Mailer {
  /** Hands one mail to the SMTP server. @throws where it was not taken: try again later. */
  send(mail: Mail): Promise<void>
  close(): void
}

/** @param smtpUrl smtp://user:password@host:port; @param from the sender's address, `Name <address>` */
export function createMailer(smtpUrl: string, from: string): Mailer {
  const transport = nodemailer.createTransport(smtpUrl, {
    from,
    connectionTimeout: 10_000,
    socketTimeout: 20_000,
  } as object)
  return {
    async send(mail) {
      await transport.sendMail({ from, ...mail })
    },
    close: () => transport.close(),
  }
}
