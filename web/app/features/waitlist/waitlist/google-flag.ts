import { sessionStorage } from '../../../browser-storage'

/** Set in session storage while the user is at Google to join. */
const FLAG = 'googleAuthInProgress'

export const googleFlag = {
  set: () => sessionStorage.setItem(FLAG, 'true'),
  clear: () => sessionStorage.removeItem(FLAG),
  isSet: () => sessionStorage.getItem(FLAG) !== null,
}
