/** Encodes a text field in Thrift's binary protocol. */
function field(id: number, text: string): Buffer {
  const head = Buffer.from([11, 0, id, 0, 0, 0, 0])
  head.writeInt32BE(Buffer.byteLength(text), 3)
  return Buffer.concat([head, Buffer.from(text)])
}

/** Encodes an `encoded_event` of X Chat. @param detail the variant of the event's detail: 1 is a message; null: none */
export function encodeChatEvent({
  sequenceId,
  messageId,
  senderId,
  conversationId,
  createdAtMsec,
  detail = 1,
  contents = 'ciphertext',
}: {
  sequenceId?: string
  messageId?: string
  senderId?: string
  conversationId?: string
  createdAtMsec?: string
  detail?: number | null
  contents?: string
}): string {
  const texts = [sequenceId, messageId, senderId, conversationId, 'token', createdAtMsec]
  const head = texts.flatMap((text, index) => (text === undefined ? [] : [field(index + 1, text)]))
  const variant =
    detail === null ? [] : [Buffer.from([12, 0, 7, 12, 0, detail]), field(100, contents), Buffer.from([0, 0])]
  return Buffer.concat([...head, ...variant, Buffer.from([0])]).toString('base64')
}
