import { MessageChannel, Worker } from 'node:worker_threads'
import type { FilePart } from '../core/people/import.ts'
import { Refusal } from '../refusal.ts'
import type { LinesOf, ReadOrder, Sent } from './csv-thread.ts'

/** Reads files in a worker thread, started on first use. */
interface CsvReader {
  /** Reads a file from its beginning. @throws Refusal INVALID_INPUT if it cannot be imported */
  read(fd: number, linesOf: LinesOf): AsyncGenerator<FilePart>
  close(): Promise<void>
}

const RESTARTING = 'The server is restarting. Nothing was imported. Import the file again in a minute.'

export function createCsvReader(): CsvReader {
  let thread: Worker | null = null
  let isClosing = false
  let cause: unknown

  function start(): Worker {
    const started = new Worker(new URL('./csv-thread.ts', import.meta.url))
    started.unref()
    // Callers waiting for a part see their port close. The next file starts a new thread.
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
      let pending = Promise.withResolvers<Sent>()
      const fail = () =>
        pending.reject(
          isClosing ? new Refusal('UNAVAILABLE', RESTARTING) : new Error('The CSV thread has stopped.', { cause }),
        )
      port1.on('message', (sent: Sent) => pending.resolve(sent))
      port1.on('close', () => {
        isClosed = true
        fail()
      })
      const ask = () => {
        pending = Promise.withResolvers()
        // The promise may be rejected before anyone awaits it.
        pending.promise.catch(() => {})
        if (isClosed) fail()
        else port1.postMessage('next')
        return pending.promise
      }
      // Ask one part ahead, so that the thread reads while this one is stored.
      let upcoming = ask()
      try {
        for (;;) {
          const sent = await upcoming
          if ('refusal' in sent)
            throw new Refusal(sent.refusal.code, sent.refusal.message, { details: sent.refusal.details })
          if ('fault' in sent) throw sent.fault
          if ('end' in sent) return
          upcoming = ask()
          yield sent.part
        }
      } finally {
        // Wait, because the caller closes the file next.
        await upcoming.catch(() => {})
        port1.close()
      }
    },
    async close() {
      isClosing = true
      await thread?.terminate()
    },
  }
}
