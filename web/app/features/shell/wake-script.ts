/**
 * Runs in the head, before anything is drawn: the chosen theme, and whether a session is stored (so that its owner
 * is not shown the links of guests for a moment). The server allows it in the content security policy by its hash.
 */
export const wakeScript = `try{var d=document.documentElement.dataset,t=localStorage.getItem("theme");if(t==="light"||t==="dark")d.theme=t;if(localStorage.getItem("authToken")||localStorage.getItem("refreshToken"))d.session="stored"}catch(e){}`
