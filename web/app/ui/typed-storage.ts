import { createContext } from 'react'
import type { TypedValues } from './typed-form'

/** Where the texts of forms are stored. Null until it is known who is signed in. */
export type TypedStorage =
  | ((form: string) => {
      read(): TypedValues | null
      write(values: TypedValues | null): void
      isGuest: boolean
    })
  | null

export const TypedStorageContext = createContext<TypedStorage>(null)
