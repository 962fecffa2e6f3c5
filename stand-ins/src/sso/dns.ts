import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { AUTHORITATIVE_ANSWER, decode, encode, type Packet, RECURSION_AVAILABLE } from 'dns-packet'
import { openAppendLog } from '../append-log.ts'

type Entry = { domain: string; txt: string[] }

/** NXDOMAIN (RFC 1035, 4.1.1). */
const NO_SUCH_DOMAIN = 3

/**
 * Starts a DNS resolver for TXT records on a loopback UDP port, 0 for any free one.
 * @param file where records are stored; in memory if undefined
 */
export async function startDns(file: string | undefined, port = 0) {
  const records = new Map<string, string[]>()
  const apply = ({ domain, txt }: Entry) => (txt.length > 0 ? records.set(domain, txt) : records.delete(domain))
  const log = openAppendLog<Entry>(file, apply)
  const socket = createSocket('udp4')
  socket.on('message', (message, from) => {
    let asked: Packet
    try {
      asked = decode(message)
    } catch {
      return
    }
    const question = asked.questions?.[0]
    if (!question) return
    const txt = records.get(question.name.toLowerCase())
    const answers = question.type === 'TXT' && txt ? txt : []
    const reply = encode({
      type: 'response',
      id: asked.id,
      flags: AUTHORITATIVE_ANSWER | RECURSION_AVAILABLE | (txt ? 0 : NO_SUCH_DOMAIN),
      questions: [question],
      answers: answers.map((data) => ({ type: 'TXT', name: question.name, ttl: 0, data: splitIntoStrings(data) })),
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
    records: () => Object.fromEntries(records),
    async close() {
      const closed = once(socket, 'close')
      socket.close()
      await closed
      log.close()
    },
  }
}

/** A TXT record is a list of strings of at most 255 bytes (RFC 1035). */
function splitIntoStrings(text: string): string[] {
  return text.match(/[\s\S]{1,200}/g) ?? ['']
}
