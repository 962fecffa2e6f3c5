import { MessageChannel, Worker } from 'node:worker_threads'
import type { FilePart } from '../domains/leads/service.ts'
import { Refusal } from '../refusal.ts'
import type { LinesOf, ReadOrder, Sent } from './csv-thread.ts'

/** Reads files in a thread of their own, started for the first one. */
export interface CsvReader {
  /** A file from its beginning. @throws Refusal INVALID_INPUT: it cannot be imported */
  read(fd: number, linesOf: LinesOf): AsyncGenerator<FilePart>
  close(): Promise<void>
}

const RESTARTING =
  'The server is being restarted. Nothing of the file was imported. Please import it again in a minute.'

export function createCsvReader(): CsvReader {
  let thread: Worker | null = null
  let isClosing = false
  let cause: unknown

  function start(): Worker {
    const started = new Worker(new URL('./csv-thread.ts', import.meta.url))
    started.unref()
    // A caller that waits for a part sees its port close. The next file gets a new thread.
    started.on('error', (error) => {
      cause = error
    })
    started.once('exit', () => {
      if (thread === started) thread = null
    })
    return started
  }

  return {
    async *read(fd, linesOf) {
      thread ??= start()
      const { port1, port2: port } = new MessageChannel()
      thread.postMessage({ fd, linesOf, port } satisfies ReadOrder, [port])
      let isClosed = false
      let asked = Promise.withResolvers<Sent>()
      const fail = () =>
        asked.reject(
          isClosing
            ? new Refusal('UNAVAILABLE', RESTARTING)
            : new Error('The thread that reads CSV files ended.', { cause }),
        )
      port1.on('message', (sent: Sent) => asked.resolve(sent))
      port1.on('close', () => {
        isClosed = true
        fail()
      })
      const ask = () => {
        asked = Promise.withResolvers()
        // It may fail before anybody waits for it.
        asked.promise.catch(() => {})
        if (isClosed) fail()
        else port1.postMessage('next')
        return asked.promise
      }
      // One part ahead: the thread reads while the part before is stored.
      let coming = ask()
      try {
        for (;;) {
          const sent = await coming
          if ('refusal' in sent)
            throw new Refusal(sent.refusal.code, sent.refusal.message, { details: sent.refusal.details })
          if ('fault' in sent) throw sent.fault
          if ('end' in sent) return
          coming = ask()
          yield sent.part
        }
      } finally {
        // The caller closes the file, so nothing may be reading it.
        await coming.catch(() => {})
        port1.close()
      }
    },
    async close() {
      isClosing = true
      await thread?.terminate()
    },
  }
}
