import type { Payments } from '../payments.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests read whatever the answer holds
export type Answer = { status: number; body: any }

export const CARD = '4242 4242 4242 4242'
export const DECLINED_CARD = '4000 0000 0000 0002'
export const CONFIRMED_CARD = '4000 0025 0000 3155'
/** May be kept; no charge of it goes through later. */
export const FAILING_CARD = '4000 0000 0000 0341'

/** What the product, a buyer and a test do at a stand-in that runs somewhere. */
export function visitPayments(payments: Pick<Payments, 'url' | 'secretKey' | 'links'>) {
  const { url, secretKey } = payments
  const read = async (response: Response): Promise<Answer> => {
    const text = await response.text()
    const isJson = response.headers.get('content-type')?.includes('json') === true
    return { status: response.status, body: isJson ? JSON.parse(text) : text }
  }
  /** A call of the API; fields by their names on the wire. */
  const call = async (method: string, path: string, fields: Record<string, string> = {}, headers = {}) => {
    const isRead = method === 'GET'
    const query = isRead ? `?${new URLSearchParams(fields)}` : ''
    return read(
      await fetch(`${url}${path}${query}`, {
        method,
        headers: { authorization: `Bearer ${secretKey}`, ...headers },
        ...(isRead ? {} : { body: new URLSearchParams(fields) }),
      }),
    )
  }
  const json = async (method: string, path: string, body: unknown) =>
    read(
      await fetch(`${url}${path}`, {
        method,
        headers: { 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }),
    )
  /** Sends a form of a page as a browser does, and follows where it leads. */
  const submit = async (page: string, fields: Record<string, string>) => {
    const response = await fetch(page, { method: 'POST', body: new URLSearchParams(fields) })
    return { url: response.url, text: await response.text() }
  }

  return {
    payments,
    url,
    call,
    json,
    submit,
    faults: (faults: unknown) => json('PUT', '/_faults', faults),
    /** Moves its clock on. */
    advance: (days: number) => json('POST', '/_clock', { advanceSeconds: Math.round(days * 86_400) }),
    /** Opens a page on which something is bought, and pays; answers with the page that comes then. */
    async buy(link: string, { number = CARD, email }: { number?: string; email?: string } = {}) {
      const opened = await fetch(link)
      const typed = (await opened.text()).match(/name="email"[^>]*value="([^"]*)"/)?.[1]?.replaceAll('&#64;', '@')
      return submit(opened.url, { email: email ?? typed ?? '', number })
    },
    /** Everything that it has of a kind, newest first. */
    async all(path: string, fields: Record<string, string> = {}) {
      return (await call('GET', path, { limit: '100', ...fields })).body.data
    },
  }
}
