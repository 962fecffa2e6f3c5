import type { Socket } from 'node:net'
import pg from 'pg'

/** The server itself ends a statement of a request after this time. */
export const STATEMENT_MS = 20_000
/** A server that did not even do that is frozen, or out of reach. */
export const SILENCE_MS = STATEMENT_MS + 2_000
const CONNECT_MS = 5_000
const KEEP_ALIVE_AFTER_MS = 10_000
const END_MS = 2_000

/**
 * A connection whose loss fails its queries and never ends the process (pg emits 'error' for it, which ends a process that
 * does not listen). It is also lost if the server stops answering a query, so no query waits forever.
 */
export class Connection extends pg.Client {
  constructor(config?: string | pg.ClientConfig) {
    super({
      connectionTimeoutMillis: CONNECT_MS,
      keepAlive: true,
      keepAliveInitialDelayMillis: KEEP_ALIVE_AFTER_MS,
      ...(typeof config === 'string' ? { connectionString: config } : config),
    })
    this.on('error', () => {})
    this.once('connect', () => {
      this.allowSilence()
      this.socket.on('timeout', () => this.endIfSilent())
    })
  }

  /** How long the server may take to answer a query, in milliseconds; 0 is as long as it likes. */
  allowSilence(ms: number = SILENCE_MS): void {
    this.socket.setTimeout(ms)
  }

  /** Says goodbye, and does not wait long for a server that does not answer. */
  override end(): Promise<void>
  override end(callback: (error: Error) => void): void
  override end(callback?: (error: Error) => void): Promise<void> | void {
    const deadline = setTimeout(() => this.socket.destroy(), END_MS)
    deadline.unref()
    this.once('end', () => clearTimeout(deadline))
    return callback ? super.end(callback) : super.end()
  }

  // TLS replaces it while connecting.
  private get socket(): Socket {
    return this.connection.stream as Socket
  }

  private endIfSilent(): void {
    const isIdle = (this as unknown as { readyForQuery: boolean }).readyForQuery
    if (isIdle) return
    const { bytesRead } = this.socket
    // If this process itself was busy, the answer is there and read before the next tick of the event loop.
    setImmediate(() => {
      if (this.socket.bytesRead !== bytesRead) return
      this.socket.destroy(Object.assign(new Error('The database does not answer.'), { code: 'ETIMEDOUT' }))
    })
  }
}
