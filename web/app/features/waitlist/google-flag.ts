import { sessionStorage } from '../../browser-storage'

/** Set while somebody is at Google to join (specification §3). */
const FLAG = 'googleAuthInProgress'

export const googleFlag = {
  set: () => sessionStorage.setItem(FLAG, 'true'),
  clear: () => sessionStorage.removeItem(FLAG),
  isSet: () => sessionStorage.getItem(FLAG) !== null,
}
