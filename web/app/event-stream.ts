/** One block in a stream of server-sent events. Heartbeats have no data. */
interface StreamEvent {
  /** The position in the stream, if the block has one. */
  id: string | null
  type: string
  data: string
}

/** Parses server-sent events from a response, following the HTML standard. */
export async function* readEventStream(body: ReadableStream<Uint8Array>): AsyncGenerator<StreamEvent> {
  const decoder = new TextDecoder()
  const reader = body.getReader()
  let text = ''
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      text += decoder.decode(value, { stream: true })
      const blocks = text.split('\n\n')
      text = blocks.pop() ?? ''
      for (const block of blocks) yield eventOf(block)
    }
  } finally {
    await reader.cancel().catch(() => {})
  }
}

function eventOf(block: string): StreamEvent {
  const event: StreamEvent = { id: null, type: 'message', data: '' }
  for (const line of block.split('\n')) {
    const [name, value = ''] = line.split(/: ?(.*)/s)
    if (name === 'id') event.id = value
    if (name === 'event') event.type = value
    if (name === 'data') event.data += value
  }
  return event
}
