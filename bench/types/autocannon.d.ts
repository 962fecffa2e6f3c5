/** The part of autocannon that we use. It ships no types. */
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
    /** Number of requests, instead of a duration. */
    amount?: number
    /** Timeout of each request, in seconds. */
    timeout?: number
    /** Number of worker threads. */
    workers?: number
    headers?: Record<string, string>
  }): Promise<Result>
}
