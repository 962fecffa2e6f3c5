import { describeEveryPage } from './every-page.ts'
import { openWebKit } from './webkit.ts'

describeEveryPage('WebKit', openWebKit)
