/** The part of it that is used here; it comes without types. */
declare module 'autocannon' {
  interface Result {
    requests: { average: number; total: number }
    latency: { p50: number; p99: number }
    non2xx: number
    errors: number
    /** Seconds. */
    duration: number
  }
  export default function autocannon(options: {
    url: string
    connections: number
    /** Seconds. */
    duration?: number
    /** Requests to end after, instead. */
    amount?: number
    /** Seconds after which a request is given up. */
    timeout?: number
    /** Threads that ask. */
    workers?: number
    headers?: Record<string, string>
  }): Promise<Result>
}
