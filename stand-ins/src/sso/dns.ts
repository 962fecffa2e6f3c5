import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { AUTHORITATIVE_ANSWER, decode, encode, type Packet, RECURSION_AVAILABLE } from 'dns-packet'
import { openAppendLog } from '../append-log.ts'

type Entry = { domain: string; txt: string[] }

/** NXDOMAIN (RFC 1035, 4.1.1). */
const NO_SUCH_DOMAIN = 3

/**
 * Starts a DNS resolver for TXT and MX records on a loopback UDP port.
 * @param file stores the TXT records; if undefined, they are only kept in memory
 * @param port 0 for any free port
 */
export async function startDns(file: string | undefined, port = 0) {
  const records = new Map<string, string[]>()
  const apply = ({ domain, txt }: Entry) => (txt.length > 0 ? records.set(domain, txt) : records.delete(domain))
  const mail = new Map<string, string[]>()
  const log = openAppendLog<Entry>(file, apply)
  const socket = createSocket('udp4')
  socket.on('message', (message, from) => {
    let query: Packet
    try {
      query = decode(message)
    } catch {
      return
    }
    const question = query.questions?.[0]
    if (!question) return
    const domain = question.name.toLowerCase()
    const txt = records.get(domain)
    const exchanges = mail.get(domain)
    const data = question.type === 'TXT' ? (txt ?? []).map(splitIntoStrings) : []
    const reply = encode({
      type: 'response',
      id: query.id,
      flags: AUTHORITATIVE_ANSWER | RECURSION_AVAILABLE | (txt || exchanges ? 0 : NO_SUCH_DOMAIN),
      questions: [question],
      answers:
        question.type === 'MX'
          ? (exchanges ?? []).map((exchange) => ({
              type: 'MX' as const,
              name: question.name,
              ttl: 0,
              data: { preference: 10, exchange },
            }))
          : data.map((strings) => ({ type: 'TXT' as const, name: question.name, ttl: 0, data: strings })),
    })
    socket.send(reply, from.port, from.address)
  })
  socket.bind(port, '127.0.0.1')
  await once(socket, 'listening')
  return {
    address: `127.0.0.1:${socket.address().port}`,
    /** Replaces a domain's TXT records. An empty list removes them. */
    set(domain: string, txt: string[]) {
      const entry = { domain: domain.toLowerCase(), txt }
      log.append(entry)
      apply(entry)
    },
    /** Sets a domain's MX records until the process ends. `.` is the null MX (RFC 7505). */
    setMail: (domain: string, exchanges: string[]) => mail.set(domain.toLowerCase(), exchanges),
    records: () => Object.fromEntries(records),
    async close() {
      const closed = once(socket, 'close')
      socket.close()
      await closed
      log.close()
    },
  }
}

/** Splits a text for a TXT record, which is a list of strings of at most 255 bytes (RFC 1035). */
function splitIntoStrings(text: string): string[] {
  return text.match(/[\s\S]{1,200}/g) ?? ['']
}
