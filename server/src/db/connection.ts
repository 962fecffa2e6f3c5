import type { Socket } from 'node:net'
import pg from 'pg'

/** The server cancels a request's statement after this time. */
export const STATEMENT_MS = 20_000
/** The server cancels a read that a screen waits for after this time. */
export const READ_MS = 3_000
/** A server that has neither responded nor canceled the statement by then is frozen or unreachable. */
export const SILENCE_MS = STATEMENT_MS + 2_000
const CONNECT_MS = 5_000
const KEEP_ALIVE_AFTER_MS = 10_000
const END_MS = 2_000

/** A connection whose loss or silence fails its queries. An unhandled 'error' event of pg would end the process. */
export class Connection extends pg.Client {
  /** The statement_timeout that `limitStatements` has set; undefined: that of the pool. */
  private statementMs: number | undefined

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

  /** Sets how long the server may take to respond to a query, in milliseconds; 0 means no limit. */
  allowSilence(ms: number = SILENCE_MS): void {
    this.socket.setTimeout(ms)
  }

  /** Sets the server's limit for each of the statements that follow, in milliseconds. */
  async limitStatements(ms: number): Promise<void> {
    if ((this.statementMs ?? STATEMENT_MS) === ms) return
    await this.query(`set statement_timeout = ${ms}`)
    this.statementMs = ms
  }

  /** Closes the connection, with a short deadline for a server that does not respond. */
  override end(): Promise<void>
  override end(callback: (error: Error) => void): void
  override end(callback?: (error: Error) => void): Promise<void> | void {
    const deadline = setTimeout(() => this.socket.destroy(), END_MS)
    deadline.unref()
    this.once('end', () => clearTimeout(deadline))
    return callback ? super.end(callback) : super.end()
  }

  // Read each time, because TLS replaces the stream while connecting.
  private get socket(): Socket {
    return this.connection.stream as Socket
  }

  private endIfSilent(): void {
    const isIdle = (this as unknown as { readyForQuery: boolean }).readyForQuery
    if (isIdle) return
    const { bytesRead } = this.socket
    // If this process itself was busy, the pending response is read before the next tick.
    setImmediate(() => {
      if (this.socket.bytesRead !== bytesRead) return
      this.socket.destroy(Object.assign(new Error('The database is not responding.'), { code: 'ETIMEDOUT' }))
    })
  }
}
