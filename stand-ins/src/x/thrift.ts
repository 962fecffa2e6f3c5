/**
 * The part of Thrift's binary protocol that X Chat's events need
 * (https://github.com/apache/thrift/blob/master/doc/specs/thrift-binary-protocol.md).
 */
const TYPES = { bool: 2, i32: 8, i64: 10, string: 11, struct: 12, list: 15 } as const

type Field = Buffer

function field(type: keyof typeof TYPES, id: number, value: Buffer): Field {
  const head = Buffer.alloc(3)
  head.writeUInt8(TYPES[type], 0)
  head.writeInt16BE(id, 1)
  return Buffer.concat([head, value])
}

const int32 = (value: number) => {
  const bytes = Buffer.alloc(4)
  bytes.writeInt32BE(value)
  return bytes
}

export const boolean = (id: number, value: boolean): Field => field('bool', id, Buffer.from([value ? 1 : 0]))
export const i32 = (id: number, value: number): Field => field('i32', id, int32(value))
export function i64(id: number, value: bigint): Field {
  const bytes = Buffer.alloc(8)
  bytes.writeBigInt64BE(value)
  return field('i64', id, bytes)
}
/** Encodes a string or bytes: both have the same type. */
export function string(id: number, value: string | Buffer): Field {
  const bytes = typeof value === 'string' ? Buffer.from(value) : value
  return field('string', id, Buffer.concat([int32(bytes.length), bytes]))
}
export const struct = (id: number, ...fields: Field[]): Field => field('struct', id, body(...fields))
/** Encodes a list of structs. Each item has the fields of one struct. */
export function structs(id: number, items: Field[][]): Field {
  const head = Buffer.concat([Buffer.from([TYPES.struct]), int32(items.length)])
  return field('list', id, Buffer.concat([head, ...items.map((fields) => body(...fields))]))
}
/** Encodes the content of a struct: its fields and a stop byte. */
export const body = (...fields: Field[]): Buffer => Buffer.concat([...fields, Buffer.from([0])])
