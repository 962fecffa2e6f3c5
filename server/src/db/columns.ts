import { sql } from 'drizzle-orm'
import { timestamp, uuid } from 'drizzle-orm/pg-core'

/** An id made by the database: time-ordered (UUID version 7), so that inserts stay at the end of the index. */
export const newId = sql`new_id()`

export const id = () => uuid('id').primaryKey().default(newId)
export const time = (name: string) => timestamp(name, { withTimezone: true, mode: 'date', precision: 3 })
export const createdAt = () => time('created_at').notNull().defaultNow()
export const updatedAt = () => time('updated_at').notNull().defaultNow()
