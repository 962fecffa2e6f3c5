/** The part of it that is used here; it comes without types. */
declare module 'autocannon' {
  interface Result {
    requests: { average: number }
    latency: { p50: number; p99: number }
    non2xx: number
    errors: number
  }
  export default function autocannon(options: {
    url: string
    connections: number
    duration: number
    /** Threads that ask. */
    workers?: number
    headers?: Record<string, string>
  }): Promise<Result>
}
